import type { CaseResult } from './measure-case.ts';
import { median, rounded } from './statistics.ts';

/** Words after the name of a broker: calls that cost credits; two brokers with the calls of one person, free ones and paid. */
export const chargedWord = 'charged';
export const pairWord = 'pair';
export const pairChargedWord = 'pair-charged';

export type ChargedShare = {
  upstream: string;
  era: string;
  clients: number;
  target: string;
  /** Calls a second, divided by those of the same brokers' free tool in the same round: the median of all rounds. */
  share: number;
  least: number;
  most: number;
};

/** What charging leaves of the rate. Empty where nothing was charged. */
export function compareCharged(cases: readonly CaseResult[]): ChargedShare[] {
  return cases.flatMap(({ upstream, era, clients, targets }) =>
    targets.flatMap(({ target, ratios }) => {
      const free = targets.find((other) => other.target === freeOf(target));
      if (!free) return [];
      const shares = ratios.map((ratio, round) => ratio / (free.ratios[round] ?? Number.NaN));
      const figures = [median(shares), Math.min(...shares), Math.max(...shares)].map((share) => rounded(share));
      const [share = Number.NaN, least = Number.NaN, most = Number.NaN] = figures;
      return [{ upstream, era, clients, target, share, least, most }];
    }),
  );
}

/** The target that differs from this one in its price alone. */
function freeOf(target: string): string | undefined {
  const [kind, database, word] = target.split(' ');
  if (word === chargedWord) return `${kind} ${database}`;
  return word === pairChargedWord ? `${kind} ${database} ${pairWord}` : undefined;
}

export function formatCharged({ upstream, era, clients, target, share, least, most }: ChargedShare): string {
  const range = `${least.toFixed(3)} to ${most.toFixed(3)}`;
  return `${upstream}, ${era}, ${clients} clients, ${target}: ${share.toFixed(3)} of the same without charges (${range})`;
}
