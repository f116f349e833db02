type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** After a longer wait the call fails, and the user decides. */
const longestWaitSeconds = 15;
const mostWaits = 3;
/** Spreads requests that wait for the same moment. */
const spreadMs = 1_000;

/** Called when the broker asks this page to slow down. */
export const slowed: { report: (seconds: number) => void } = { report: () => {} };

/**
 * Repeats a read that the broker answers with 429 after the time in its Retry-After. Returns every other response as it
 * is.
 */
export function patient(fetch: Fetch): Fetch {
  return async (url, init) => {
    for (let waits = 0; ; waits++) {
      const response = await fetch(url, init);
      const seconds = response.status === 429 ? Number(response.headers.get('retry-after') ?? Number.NaN) : Number.NaN;
      const mayWait = init.method === 'GET' && seconds <= longestWaitSeconds && waits < mostWaits;
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
