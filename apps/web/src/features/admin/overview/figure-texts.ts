import { formatCount } from '#ui/text/amount.ts';

const percents = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0, signDisplay: 'exceptZero' });
/** Largest change shown in percent; beyond it, the earlier figure says more. */
const mostPercent = 999;

/**
 * Compares a figure with that of the 30 days before: "+12% from 1,200", "None before", "As before".
 * @param before null if it is unknown
 */
export function changeText(
  { now, before }: { now: number; before: number | null },
  format: (figure: number) => string = formatCount,
): string {
  if (before === null) return 'The 30 days before are not counted yet';
  if (before === now) return now === 0 ? 'None before either' : 'As before';
  if (before <= 0) return before === 0 ? 'None before' : `${format(before)} before`;
  const percent = ((now - before) / before) * 100;
  const isTelling = Math.abs(percent) <= mostPercent && Math.abs(percent) >= 0.5;
  return isTelling ? `${percents.format(percent)}% from ${format(before)}` : `${format(before)} before`;
}

/** Returns a share in percent, such as "2.5%". */
export function shareText(part: number, of: number): string {
  if (of === 0) return '0%';
  const percent = (part / of) * 100;
  return percent > 0 && percent < 0.1 ? 'under 0.1%' : `${Math.round(percent * 10) / 10}%`;
}

export const durationText = (ms: number): string =>
  ms < 1000 ? `${formatCount(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
