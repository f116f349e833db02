type Fetch = (url: string, init: RequestInit) => Promise<Response>;

/** A longer wait is told as a failure: a person decides. */
const longestWaitSeconds = 15;
const mostWaits = 3;
/** Requests that wait for the same moment come back one after the other. */
const spreadMs = 1_000;

/** Is told when the broker asks this page to slow down, and for how long. */
export const slowed: { tell: (seconds: number) => void } = { tell: () => {} };

/** Reads that the broker answers with 429 are sent again when it says so (Retry-After); anything else is answered as it came. */
export function patient(fetch: Fetch): Fetch {
  return async (url, init) => {
    for (let waits = 0; ; waits++) {
      const response = await fetch(url, init);
      const seconds = response.status === 429 ? Number(response.headers.get('retry-after') ?? Number.NaN) : Number.NaN;
      const mayWait = init.method === 'GET' && seconds <= longestWaitSeconds && waits < mostWaits;
      if (!mayWait) return response;
      slowed.tell(seconds);
      await response.body?.cancel();
      await pause(seconds * 1_000 + Math.random() * spreadMs, init.signal);
    }
  };
}

/** @throws the reason of the signal, where the call is not wanted any more */
function pause(ms: number, signal: AbortSignal | null | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(resolve, ms);
    signal?.addEventListener('abort', () => {
      clearTimeout(timer);
      reject(signal.reason);
    });
  });
}
