import type { CaseResult, TargetResult } from './measure-case.ts';
import { median, rounded } from './report/statistics.ts';
import { earlierOf, freeOf, pairWord, untracedOf } from './target-names.ts';

export type Share = {
  upstream: string;
  era: string;
  clients: number;
  target: string;
  /** Calls per second divided by those of the other target in the same round; median of all rounds. */
  share: number;
  least: number;
  most: number;
  rounds: number;
  /**
   * Processor time per call of the other target divided by that of this one, broker and database together. It is less
   * affected by other work on the machine than a rate. Undefined for two brokers, because the processor time of only one is measured.
   */
  cpuShare: number | undefined;
};

/** Compares paid calls with free calls of the same brokers. Empty if nothing was charged. */
export function compareCharged(cases: readonly CaseResult[]): Share[] {
  return compareTargets(cases, freeOf);
}

/** Compares a broker that traces every call with one that does not. Empty if none traces. */
export function compareTraced(cases: readonly CaseResult[]): Share[] {
  return compareTargets(cases, untracedOf);
}

/** Compares each broker with the earlier one measured alongside it. Empty if there was none. */
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

/**
 * Formats a comparison as a line.
 * @param of what the target was compared with
 */
export function formatShare({ upstream, era, clients, target, ...figures }: Share, of: string): string {
  const { share, least, most, rounds, cpuShare } = figures;
  const range = `${least.toFixed(3)} to ${most.toFixed(3)} in ${rounds} rounds`;
  const cpu = cpuShare === undefined ? '' : `, by processor time ${cpuShare.toFixed(3)}`;
  return `${upstream}, ${era}, ${clients} clients, ${target}: ${share.toFixed(3)} of ${of} (${range})${cpu}`;
}
