import type { CaseResult, TargetResult } from './measure-case.ts';
import { median, rounded } from './statistics.ts';
import { freeOf, pairChargedWord } from './target-names.ts';

export type ChargedShare = {
  upstream: string;
  era: string;
  clients: number;
  target: string;
  /** Calls a second, divided by those of the same brokers' free tool in the same round: the median of all rounds. */
  share: number;
  least: number;
  most: number;
  /**
   * Processor time of a free call, divided by that of a paid one, broker and database together: other work on the machine
   * disturbs it less than a rate. Undefined for two brokers, of which one is counted.
   */
  cpuShare: number | undefined;
};

/** What charging leaves of the rate. Empty where nothing was charged. */
export function compareCharged(cases: readonly CaseResult[]): ChargedShare[] {
  return cases.flatMap(({ upstream, era, clients, targets }) =>
    targets.flatMap((charged) => {
      const { target, ratios } = charged;
      const free = targets.find((other) => other.target === freeOf(target));
      if (!free) return [];
      const shares = ratios.map((ratio, round) => ratio / (free.ratios[round] ?? Number.NaN));
      const figures = [median(shares), Math.min(...shares), Math.max(...shares)].map((share) => rounded(share));
      const [share = Number.NaN, least = Number.NaN, most = Number.NaN] = figures;
      const cpuShare = target.endsWith(pairChargedWord) ? undefined : rounded(cpuMsOf(free) / cpuMsOf(charged));
      return [{ upstream, era, clients, target, share, least, most, cpuShare }];
    }),
  );
}

function cpuMsOf({ cpuMsPerCall = Number.NaN, databaseCpuMsPerCall = 0 }: TargetResult): number {
  return cpuMsPerCall + databaseCpuMsPerCall;
}

export function formatCharged({ upstream, era, clients, target, share, least, most, cpuShare }: ChargedShare): string {
  const range = `${least.toFixed(3)} to ${most.toFixed(3)}`;
  const cpu = cpuShare === undefined ? '' : `, by processor time ${cpuShare.toFixed(3)}`;
  return `${upstream}, ${era}, ${clients} clients, ${target}: ${share.toFixed(3)} of the same without charges (${range})${cpu}`;
}
