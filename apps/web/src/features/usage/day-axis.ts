/**
 * Returns the end of an axis for values up to `most`: an even figure with one significant digit, so that its middle is
 * whole.
 */
export function axisTop(most: number): number {
  let unit = 1;
  while (unit * 10 < most) unit *= 10;
  return Math.max(2, Math.ceil(most / (2 * unit)) * 2 * unit);
}

export function nextDay(key: string, day: number, last: number): number | undefined {
  if (key === 'ArrowRight' || key === 'ArrowUp') return Math.min(last, day + 1);
  if (key === 'ArrowLeft' || key === 'ArrowDown') return Math.max(0, day - 1);
  if (key === 'Home') return 0;
  return key === 'End' ? last : undefined;
}
