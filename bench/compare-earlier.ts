import type { CaseResult } from './measure-case.ts';
import { median, rounded } from './statistics.ts';

/** The name of the other checkout's broker, which stands for an earlier state of the product. One word, as of a database. */
export function earlierName(database: string): string {
  return `earlier-${database}`;
}

/** Whether a broker of this name is this checkout's. */
export function isOwn(name: string): boolean {
  return !name.startsWith(earlierName(''));
}

export type Comparison = {
  upstream: string;
  era: string;
  clients: number;
  target: string;
  /** Calls a second divided by those of the earlier broker in the same round: the median of all rounds. */
  toEarlier: number;
  rounds: number;
};

/** Compares each broker with the earlier one that was measured beside it. Empty where there was none. */
export function compareWithEarlier(cases: readonly CaseResult[]): Comparison[] {
  return cases.flatMap(({ upstream, era, clients, targets }) =>
    targets.flatMap(({ target, ratios }) => {
      const earlier = targets.find((other) => other.target === earlierTarget(target));
      if (!earlier) return [];
      const quotients = ratios.map((ratio, round) => ratio / (earlier.ratios[round] ?? Number.NaN));
      return [{ upstream, era, clients, target, toEarlier: rounded(median(quotients)), rounds: quotients.length }];
    }),
  );
}

/** The target beside which a broker's target is measured; undefined for those that are no broker's. */
function earlierTarget(target: string): string | undefined {
  const [kind, database = '', ...token] = target.split(' ');
  return kind === 'souk' ? [kind, earlierName(database), ...token].join(' ') : undefined;
}

export function formatComparison({ upstream, era, clients, target, toEarlier, rounds }: Comparison): string {
  return `${upstream}, ${era}, ${clients} clients, ${target}: ${toEarlier.toFixed(3)} of the earlier (${rounds} rounds)`;
}
