/** Time for the broker before the list is refetched (spec part 1, section 9). */
export const refreshDelayMs = 1_000;

/**
 * Refreshes as the specification says: asks the broker, waits 1 second, refetches.
 * @throws what `ask` throws; then nothing is refetched
 */
export async function refreshCatalogue(steps: {
  ask: () => Promise<unknown>;
  wait: (delayMs: number) => Promise<void>;
  reload: () => Promise<unknown>;
}): Promise<void> {
  await steps.ask();
  await steps.wait(refreshDelayMs);
  await steps.reload();
}
