import type { Clock } from '#platform/clock.ts';

/**
 * Longest timer. After it, dates are checked again: timers last at most 24 days, and the machine's clock may be
 * changed.
 */
const maxTimerMs = 60 * 60_000;

/** Re-reads servers when one of their announced prices begins. */
export function createPriceDates(clock: Clock, due: (serverIds: readonly string[]) => void) {
  const dates = new Map<string, number>();
  let timer: NodeJS.Timeout | undefined;
  let wakesAtMs = Infinity;

  function reportReached(): void {
    const nowMs = clock.now();
    const reached = [...dates].filter(([, atMs]) => atMs <= nowMs).map(([serverId]) => serverId);
    for (const serverId of reached) dates.delete(serverId);
    wakesAtMs = Infinity;
    schedule();
    if (reached.length > 0) due(reached);
  }

  function schedule(): void {
    let nextMs = Infinity;
    for (const atMs of dates.values()) nextMs = Math.min(nextMs, atMs);
    if (nextMs >= wakesAtMs) return;
    clearTimeout(timer);
    wakesAtMs = nextMs;
    timer = setTimeout(reportReached, Math.min(Math.max(0, nextMs - clock.now()), maxTimerMs)).unref();
  }

  return {
    /** @param nextMs undefined: nothing is announced */
    set(serverId: string, nextMs: number | undefined): void {
      if (nextMs === undefined) dates.delete(serverId);
      else dates.set(serverId, nextMs);
      schedule();
    },
    stop(): void {
      clearTimeout(timer);
      dates.clear();
    },
  };
}
