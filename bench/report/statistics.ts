/** Returns the median; NaN for an empty list. */
export function median(values: readonly number[]): number {
  return percentile(values.toSorted(ascending), 0.5);
}

/** Returns the value that `share` of all values do not exceed, interpolated. `sorted` is ascending. */
export function percentile(sorted: readonly number[], share: number): number {
  const position = (sorted.length - 1) * share;
  const below = sorted[Math.floor(position)] ?? Number.NaN;
  const above = sorted[Math.ceil(position)] ?? below;
  return below + (above - below) * (position - Math.floor(position));
}

export function ascending(a: number, b: number): number {
  return a - b;
}

export function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

/** Rounds a figure to `digits` significant digits. */
export function rounded(value: number, digits = 3): number {
  return Number(value.toPrecision(digits));
}
