/** Time that the broker gets before the list is read again (spec part 1, section 9). */
export const refreshDelayMs = 1_000;

/**
 * Refresh, as the specification has it: ask the broker, wait 1 second, read again.
 * @throws what `ask` throws; then nothing is read again
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
