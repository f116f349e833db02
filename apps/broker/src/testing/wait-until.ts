/** Timeout for what never happens. A slow machine may need long for what does. */
const hangMs = 300_000;
/** Time that only a timeout or a fault takes. */
const oddMs = 60_000;

/**
 * Waits for an external condition. Fails with `what` after five minutes, and prints it after one. Checks every 10 ms at
 * first, and every 50 ms later: many conditions are requests.
 */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const begun = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - begun;
    if (waitedMs > hangMs) throw new Error(`not within ${hangMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(50, 10 + waitedMs / 20)));
  }
  const waitedMs = performance.now() - begun;
  // oxlint-disable-next-line no-console -- a passing test does not report otherwise what took so long
  if (waitedMs > oddMs) console.warn(`waited ${Math.round(waitedMs / 1_000)} s: ${what}`);
}
