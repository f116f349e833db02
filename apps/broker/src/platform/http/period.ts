/** Years outside make no timestamp on every database. */
const firstMs = 0;
const lastMs = Date.UTC(9999, 11, 31);
const dayMs = 24 * 60 * 60_000;

/** From `from` to before `to`. */
export type Period = { from: Date; to: Date };

/**
 * The period of `startDate` and `endDate`, both inclusive: a day (UTC) with all of its hours, a moment to its millisecond.
 * Without one the period is open on that side.
 * @param given ISO days or moments, checked by the contract
 */
export function periodOf({
  startDate,
  endDate,
}: {
  startDate?: string | undefined;
  endDate?: string | undefined;
}): Period {
  return {
    from: bounded(startDate === undefined ? firstMs : Date.parse(startDate)),
    to: bounded(endDate === undefined ? lastMs : Date.parse(endDate) + (isDay(endDate) ? dayMs : 1)),
  };
}

const isDay = (text: string) => !text.includes('T');
const bounded = (ms: number) => new Date(Math.min(Math.max(ms, firstMs), lastMs));
