import type { Upstreams } from '#features/upstreams/index.ts';
import { percentOf } from './calls-of-servers.ts';

export const shownDays = 30;
const dayMs = 86_400_000;

type Days = Awaited<ReturnType<Upstreams['health']['read']>>;

/** The first of the shown days (UTC). The last is today. */
export function firstShownDay(nowMs: number): string {
  return new Date(nowMs - (shownDays - 1) * dayMs).toISOString().slice(0, 10);
}

/** Returns every shown day, also those without a check. */
export function everyDay(days: Days, nowMs: number) {
  const checked = new Map(days.map(({ day, up, down }) => [day, percentOf(up, up + down)]));
  return Array.from({ length: shownDays }, (_, index) => {
    const day = new Date(nowMs - (shownDays - 1 - index) * dayMs).toISOString().slice(0, 10);
    return { day, percent: checked.get(day) ?? null };
  });
}
