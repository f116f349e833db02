import type { ManifestRunEvent } from '@souk/contract/admin/manifest-runs.ts';
import type { ManifestRuns } from './create-manifest-runs.ts';
import { presentItem, presentRun, type EmailsOf } from './present-run.ts';

export type RunListener = {
  tell(event: ManifestRunEvent): void;
  /** Resolves when the listener accepts more events, or has disconnected. */
  ready(): Promise<void>;
  /** Aborts when the listener disconnects. */
  signal: AbortSignal;
};

/**
 * Reports the progress of a run on any broker: first the whole run, then each changed manifest, and the whole run again
 * when it has ended. Resolves then, or when the listener disconnects or this broker stops.
 */
export async function followRun(
  runId: string,
  runs: ManifestRuns,
  { tell, ready, signal }: RunListener,
  emailsOf: EmailsOf,
): Promise<void> {
  let seen = -1;
  let changed = Promise.withResolvers<void>();
  const wake = () => changed.resolve();
  const stopListening = runs.onChange(runId, wake);
  signal.addEventListener('abort', wake, { once: true });
  try {
    while (!signal.aborted) {
      changed = Promise.withResolvers();
      const found = await runs.since(runId, seen);
      if (!found || signal.aborted) return;
      const { run, items } = found;
      if (seen === -1) tell({ type: 'run', run: await presentRun(found, emailsOf) });
      else for (const item of items) tell({ type: 'item', item: presentItem(run, item) });
      seen = run.changes;
      if (run.status !== 'running') {
        const whole = await runs.find(runId);
        if (whole) tell({ type: 'end', run: await presentRun(whole, emailsOf) });
        return;
      }
      if (runs.isStopping) return;
      await changed.promise;
      await ready();
    }
  } finally {
    stopListening();
    signal.removeEventListener('abort', wake);
  }
}
