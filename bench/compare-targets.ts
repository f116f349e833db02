import type { CaseResult, TargetResult } from './measure-case.ts';
import { median, rounded } from './report/statistics.ts';
import { earlierOf, freeOf, pairWord, untracedOf } from './target-names.ts';

export type Share = {
  upstream: string;
  era: string;
  clients: number;
  target: string;
  /** Calls a second, divided by those of the other target in the same round: the median of all rounds. */
  share: number;
  least: number;
  most: number;
  rounds: number;
  /**
   * Processor time of a call to the other target, divided by that of a call to this one, broker and database together: other
   * work on the machine disturbs it less than a rate. Undefined for two brokers, of which one is counted.
   */
  cpuShare: number | undefined;
};

/** What charging leaves of the rate of the same brokers' free tool. Empty where nothing was charged. */
export function compareCharged(cases: readonly CaseResult[]): Share[] {
  return compareTargets(cases, freeOf);
}

/** Compares a broker that traces every call with the one that does not. Empty where no broker traces. */
export function compareTraced(cases: readonly CaseResult[]): Share[] {
  return compareTargets(cases, untracedOf);
}

/** Compares each broker with the earlier one that was measured beside it. Empty where there was none. */
export function compareWithEarlier(cases: readonly CaseResult[]): Share[] {
  return compareTargets(cases, earlierOf);
}

function compareTargets(cases: readonly CaseResult[], otherOf: (target: string) => string | undefined): Share[] {
  return cases.flatMap(({ upstream, era, clients, targets }) =>
    targets.flatMap((one) => {
      const { target, ratios } = one;
      const other = targets.find((candidate) => candidate.target === otherOf(target));
      if (!other) return [];
      const shares = ratios.map((ratio, round) => ratio / (other.ratios[round] ?? Number.NaN));
      const figures = [median(shares), Math.min(...shares), Math.max(...shares)].map((share) => rounded(share));
      const [share = Number.NaN, least = Number.NaN, most = Number.NaN] = figures;
      const cpuShare = target.includes(` ${pairWord}`) ? undefined : rounded(cpuMsOf(other) / cpuMsOf(one));
      return [{ upstream, era, clients, target, share, least, most, rounds: shares.length, cpuShare }];
    }),
  );
}

function cpuMsOf({ cpuMsPerCall = Number.NaN, databaseCpuMsPerCall = 0 }: TargetResult): number {
  return cpuMsPerCall + databaseCpuMsPerCall;
}

/** One line for people. `of` names what the target was compared with. */
export function formatShare({ upstream, era, clients, target, ...figures }: Share, of: string): string {
  const { share, least, most, rounds, cpuShare } = figures;
  const range = `${least.toFixed(3)} to ${most.toFixed(3)} in ${rounds} rounds`;
  const cpu = cpuShare === undefined ? '' : `, by processor time ${cpuShare.toFixed(3)}`;
  return `${upstream}, ${era}, ${clients} clients, ${target}: ${share.toFixed(3)} of ${of} (${range})${cpu}`;
}
