import { unansweredText } from '@souk/contract/unanswered-text.ts';
import type { Log } from '#platform/log.ts';
import { waitForDiscoveryInRun } from '../health/wait-for-discovery.ts';
import type { ManifestWatch } from '../manifests/manage-manifests.ts';
import { eachAtMost } from '#platform/work/each-at-most.ts';
import type { RunProgress } from './run-progress.ts';

/** Servers waited for concurrently, each for up to 10 s. */
const atOnce = 16;

/**
 * Waits until servers were discovered since their deployment. A server that does not answer is live nevertheless, and
 * the run records why it did not answer.
 * @param serverIds servers that this broker knows as deployed
 * @throws the error of a lost database
 */
export async function askDeployed(
  serverIds: readonly string[],
  signal: AbortSignal,
  { watch, progress, log }: { watch: ManifestWatch; progress: RunProgress; log: Log },
): Promise<void> {
  const ask = async (serverId: string) => {
    const logText = 'a deployed server could not be asked';
    const failure = await waitForDiscoveryInRun(watch, serverId, signal, { log, logText });
    // another broker waits instead
    if (signal.aborted) return;
    const isAnswered = failure === undefined;
    const message = isAnswered ? undefined : unansweredText(failure);
    progress.note({ serverId, status: isAnswered ? 'done' : 'unanswered', message });
  };
  await eachAtMost(atOnce, serverIds, ask, signal);
}
