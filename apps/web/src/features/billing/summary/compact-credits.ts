import { formatCount } from '#ui/text/amount.ts';

/** Credits as a badge has room for: 1000 and more as 'nK' (spec part 1, section 9), rounded down to a tenth. */
export function compactCredits(credits: number): string {
  return credits < 1000 ? formatCount(credits) : `${formatCount(Math.floor(credits / 100) / 10)}K`;
}
