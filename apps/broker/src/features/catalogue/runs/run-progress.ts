import type { ItemChange } from './run-store.ts';

/** A run of thousands of manifests writes what became of them this often, and not of each by itself. */
const everyMs = 250;

/** Gathers what becomes of a run's manifests. */
export type RunProgress = {
  /** Notes how a manifest is. The first note is written at once, later ones together a moment later, the last of each manifest. */
  note(change: ItemChange): void;
  /** Resolves when all that was noted is written. @throws what a write has thrown, also an earlier one */
  flush(): Promise<void>;
};

/**
 * @param parts.write is called with what was noted since, once at a time
 * @param parts.failed is told of the first write that throws; nothing is written after it
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
    nextAtMs = performance.now() + everyMs;
    try {
      await parts.write(changes);
    } catch (error) {
      failure = { error };
      parts.failed(error);
    }
  }

  function plan(): void {
    if (timer || writing || failure || waiting.size === 0) return;
    timer = setTimeout(writeNow, Math.max(0, nextAtMs - performance.now()));
  }

  function writeNow(): void {
    clearTimeout(timer);
    timer = undefined;
    writing = writeWaiting().finally(() => {
      writing = undefined;
      plan();
    });
  }

  return {
    note(change) {
      waiting.set(change.serverId, change);
      plan();
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
