/** For what never comes. A slow machine may need long for what comes. */
const hangMs = 300_000;
/** So long nothing takes but a timeout or a fault. */
const oddMs = 60_000;

/**
 * Waits for a condition that the world outside brings about. Fails with `what` after five minutes, and prints it after one. Looks
 * each 10 ms first, and each 50 ms in the end: many conditions are requests.
 */
export async function waitUntil(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const begun = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - begun;
    if (waitedMs > hangMs) throw new Error(`not within ${hangMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(50, 10 + waitedMs / 20)));
  }
  const waitedMs = performance.now() - begun;
  // oxlint-disable-next-line no-console -- a test that passes says nothing else of what took so long
  if (waitedMs > oddMs) console.warn(`waited ${Math.round(waitedMs / 1_000)} s: ${what}`);
}
