import { renewalGraceMs } from './owned.ts';

/** `isRunning` in SQL. The arguments are the placeholders of the two values of `runningValues`. */
export const isRunningSql = ({ now, renewedSince }: { now: string; renewedSince: string }): string =>
  `ended_at is null and (period_ends_at is null or period_ends_at >
     case when source = 'payment' and cancelled_at is null then ${renewedSince}::timestamptz else ${now}::timestamptz end)`;

/** The current time, and the earliest end of a period whose renewal may still be late. */
export const runningValues = (nowMs: number): readonly [Date, Date] => [
  new Date(nowMs),
  new Date(nowMs - renewalGraceMs),
];
