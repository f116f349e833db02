/**
 * Waits for a condition that the world outside brings about. Fails with `what` after `deadlineMs`: for what never comes. It
 * looks each 10 ms first, and each 50 ms in the end: many conditions are requests.
 */
export async function waitUntil(
  what: string,
  condition: () => boolean | Promise<boolean>,
  deadlineMs = 30_000,
): Promise<void> {
  const begun = performance.now();
  while (!(await condition())) {
    const waitedMs = performance.now() - begun;
    if (waitedMs > deadlineMs) throw new Error(`not within ${deadlineMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, Math.min(50, 10 + waitedMs / 20)));
  }
}
