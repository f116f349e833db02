import type { ItemChange } from './run-store.ts';

/** Minimum time between two writes of a run's progress, which may concern thousands of manifests. */
const intervalMs = 250;

export type RunProgress = {
  /**
   * Notes the status of a manifest. The first note is written immediately, later ones together: the newest per
   * manifest.
   */
  note(change: ItemChange): void;
  /** Resolves when every note is written. @throws the first error of a write, even an earlier one */
  flush(): Promise<void>;
};

/**
 * @param parts.write receives the notes since the last call; never called concurrently
 * @param parts.failed receives the first error of a write, after which nothing is written
 */
export function createRunProgress(parts: {
  write(changes: readonly ItemChange[]): Promise<void>;
  failed(error: unknown): void;
}): RunProgress {
  const waiting = new Map<string, ItemChange>();
  let timer: NodeJS.Timeout | undefined;
  let writing: Promise<void> | undefined;
  let failure: { error: unknown } | undefined;
  let nextAtMs = Number.NEGATIVE_INFINITY;

  async function writeWaiting(): Promise<void> {
    const changes = [...waiting.values()];
    waiting.clear();
    nextAtMs = performance.now() + intervalMs;
    try {
      await parts.write(changes);
    } catch (error) {
      failure = { error };
      parts.failed(error);
    }
  }

  function schedule(): void {
    if (timer || writing || failure || waiting.size === 0) return;
    timer = setTimeout(writeNow, Math.max(0, nextAtMs - performance.now()));
  }

  function writeNow(): void {
    clearTimeout(timer);
    timer = undefined;
    writing = writeWaiting().finally(() => {
      writing = undefined;
      schedule();
    });
  }

  return {
    note(change) {
      waiting.set(change.serverId, change);
      schedule();
    },
    async flush() {
      await writing;
      if (waiting.size > 0 && !failure) {
        if (!writing) writeNow();
        await writing;
      }
      if (failure) throw failure.error;
    },
  };
}
