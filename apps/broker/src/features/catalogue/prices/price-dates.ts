import type { Clock } from '#platform/clock.ts';

/** Timers hold 24 days at most, and the machine's clock may be set: dates are checked again after this time. */
const longestMs = 60 * 60_000;

/** Re-reads servers when one of their announced prices begins. */
export function createPriceDates(clock: Clock, due: (serverIds: readonly string[]) => void) {
  const dates = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let wakesAtMs = Infinity;

  function look(): void {
    const nowMs = clock.now();
    const reached = [...dates].filter(([, atMs]) => atMs <= nowMs).map(([serverId]) => serverId);
    for (const serverId of reached) dates.delete(serverId);
    wakesAtMs = Infinity;
    plan();
    if (reached.length > 0) due(reached);
  }

  function plan(): void {
    let nextMs = Infinity;
    for (const atMs of dates.values()) nextMs = Math.min(nextMs, atMs);
    if (nextMs >= wakesAtMs) return;
    clearTimeout(timer);
    wakesAtMs = nextMs;
    timer = setTimeout(look, Math.min(Math.max(0, nextMs - clock.now()), longestMs)).unref();
  }

  return {
    /** @param nextMs undefined: nothing is announced */
    set(serverId: string, nextMs: number | undefined): void {
      if (nextMs === undefined) dates.delete(serverId);
      else dates.set(serverId, nextMs);
      plan();
    },
    stop(): void {
      clearTimeout(timer);
      dates.clear();
    },
  };
}
