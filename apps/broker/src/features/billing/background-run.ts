/**
 * Does work in the background: one run at a time, and one more for what changed meanwhile.
 * @param failed is told of a run that threw; the next change, or a job, repeats it
 */
export function createBackgroundRun(
  work: () => Promise<unknown>,
  failed: (error: unknown) => void,
): { run(): void; stop(): Promise<void> } {
  let running: Promise<void> | undefined;
  let isWanted = false;
  let isStopped = false;

  async function runs(): Promise<void> {
    while (isWanted) {
      isWanted = false;
      await work().catch(failed);
    }
    running = undefined;
  }

  return {
    run() {
      if (isStopped) return;
      isWanted = true;
      running ??= runs();
    },
    async stop() {
      isStopped = true;
      isWanted = false;
      await running;
    },
  };
}
