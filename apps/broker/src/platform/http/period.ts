import type { Day } from '@souk/contract/times.ts';

/** Years outside these bounds are not a valid timestamp on every database. */
const first = new Date(0);
const last = new Date(Date.UTC(9999, 11, 31));

/** From `from` to before `to`. */
export type Period = { from: Date; to: Date };

/** Returns the period of `startDate` and `endDate`, both inclusive. A missing one leaves the period open on that side. */
export function periodOf({ startDate, endDate }: { startDate?: Day | undefined; endDate?: Day | undefined }): Period {
  return { from: bounded(startDate?.from ?? first), to: bounded(endDate?.to ?? last) };
}

const bounded = (at: Date) => new Date(Math.min(Math.max(at.getTime(), first.getTime()), last.getTime()));
