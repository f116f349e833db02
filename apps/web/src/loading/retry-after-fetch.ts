type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** Longest wait before a retry. If the broker asks for more, the call fails and the user decides. */
const longestWaitSeconds = 15;
const maxWaits = 3;
/** Random extra wait that spreads requests waiting for the same moment. */
const spreadMs = 1_000;

/** Called when the broker asks this page to slow down. */
export const slowed: { report: (seconds: number) => void } = { report: () => {} };

/**
 * Wraps fetch: retries a read that the broker answers with 429, after the time in its Retry-After. Returns every other
 * response unchanged.
 */
export function withRetryAfter(fetch: Fetch): Fetch {
  return async (url, init) => {
    for (let waits = 0; ; waits++) {
      const response = await fetch(url, init);
      const seconds = response.status === 429 ? Number(response.headers.get('retry-after') ?? Number.NaN) : Number.NaN;
      const mayWait = init.method === 'GET' && seconds <= longestWaitSeconds && waits < maxWaits;
      if (!mayWait) return response;
      slowed.report(seconds);
      await response.body?.cancel();
      await pause(seconds * 1_000 + Math.random() * spreadMs, init.signal);
    }
  };
}

/** @throws the signal's reason if the call was aborted */
function pause(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
