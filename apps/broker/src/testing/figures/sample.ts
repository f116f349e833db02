import { atFullSize } from './proof-size.ts';

/** Cases of a large table that one run of `npm test` tries; fewer if each of them is expensive. */
const usualCount = 50;

/** Seed that draws the cases. Each day has another one; the same seed draws the same cases. */
const seed = Number(process.env['SOUK_TEST_SEED'] ?? Math.floor(Date.now() / 86_400_000));

/**
 * Returns cases of a large table: some of them, drawn by a seed, and all in `npm run prove -- tables`. To run a single
 * case, name it as the failed run did: `SOUK_TEST_SEED=<seed> npm run unit -- <file> -t '<name>'`.
 * @param mustRun cases that are never left out: those that prove a fact, or failed once
 */
export function sampled<T>(
  cases: readonly T[],
  mustRun: (each: T) => boolean = () => false,
  short: number = usualCount,
): T[] {
  const count = atFullSize({ full: cases.length, short });
  if (cases.length <= count) return [...cases];
  const random = randomOf(seed + cases.length);
  const order = cases.map((each) => ({ each, at: mustRun(each) ? -1 : random() }));
  const drawn = new Set(order.toSorted((one, other) => one.at - other.at).slice(0, count));
  return order.filter((one) => one.at < 0 || drawn.has(one)).map(({ each }) => each);
}

/** Pseudo-random numbers from 0 to 1: a linear congruential generator with the constants of Numerical Recipes. */
function randomOf(first: number): () => number {
  let state = first >>> 0;
  return () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32;
}
