/** Proxies cut a connection after a minute of silence. */
export type KeepAliveTimes = {
  /** Time after which a slow answer becomes an event stream, if the client accepts one. */
  afterMs: number;
  /** Interval of the comments on it. */
  everyMs: number;
};

export type KeepAlive = {
  readonly afterMs: number;
  /** Calls `beat` when `waitedMs` has reached `afterMs`, and then regularly. Returns a function that stops it. */
  watch(beat: () => void, waitedMs?: number): () => void;
};

type Watched = { beat: () => void; dueMs: number };

/** Uses one timer for all slow answers, and none while there are none. */
export function createKeepAlive(
  { afterMs, everyMs }: KeepAliveTimes = { afterMs: 15_000, everyMs: 15_000 },
): KeepAlive {
  const watched = new Set<Watched>();
  const tickMs = Math.max(1, everyMs / 15);
  let timer: NodeJS.Timeout | undefined;

  function tick(): void {
    const nowMs = performance.now();
    for (const each of watched) {
      if (each.dueMs > nowMs) continue;
      each.dueMs = nowMs + everyMs;
      each.beat();
    }
    if (watched.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    afterMs,
    watch(beat, waitedMs = 0) {
      const each = { beat, dueMs: performance.now() + afterMs - waitedMs };
      watched.add(each);
      timer ??= setInterval(tick, tickMs).unref();
      return () => watched.delete(each);
    },
  };
}
