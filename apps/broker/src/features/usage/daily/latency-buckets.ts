/**
 * Upper limits in milliseconds of the buckets in which durations of answered calls are counted. The last bucket is open. The
 * tables have a column for each: other limits need a migration.
 */
const limitsMs = [5, 10, 25, 50, 100, 250, 500, 1000, 2500, 5000, 15_000] as const;

export const latencyLimitsText = `{${limitsMs.join(',')}}`;

/** The columns with the counts, quickest first. */
export const latencyColumns = [...limitsMs.map((limit) => `ms_${limit}`), 'ms_more'] as const;

/**
 * The duration that this share of the calls did not exceed, in whole milliseconds. Exact to its bucket, within which calls
 * count as evenly spread. In the open bucket, its lower limit.
 * @param counts of the buckets, quickest first
 * @returns undefined if there were no calls
 */
export function percentileMs(counts: readonly number[], share: number): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  let left = Math.max(1, Math.ceil(total * share));
  for (const [index, count] of counts.entries()) {
    if (left > count) {
      left -= count;
      continue;
    }
    const from = index === 0 ? 0 : (limitsMs[index - 1] ?? 0);
    const to = limitsMs[index] ?? from;
    return Math.round(from + ((to - from) * left) / count);
  }
  return undefined;
}
