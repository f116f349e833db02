import { formatCount } from '#ui/text/amount.ts';

/** Formats 1000 credits and more as 'nK' for a badge (spec part 1, section 9), rounded down to a tenth. */
export function compactCredits(credits: number): string {
  return credits < 1000 ? formatCount(credits) : `${formatCount(Math.floor(credits / 100) / 10)}K`;
}
