/** Proxies cut a connection on which nothing was sent for a minute. */
export type KeepAliveTimes = {
  /** An answer that takes longer than this becomes an event stream, where the client accepts one. */
  afterMs: number;
  /** How often a comment is sent on it. */
  everyMs: number;
};

export type KeepAlive = {
  readonly afterMs: number;
  /** Calls `beat` when `waitedMs` have become `afterMs`, and then regularly. Returns a function that ends that. */
  watch(beat: () => void, waitedMs?: number): () => void;
};

type Watched = { beat: () => void; dueMs: number };

/** One timer for all answers that are late, and none while there is no such answer. */
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
