import type { Log } from '#platform/log.ts';
import type { Catalogue } from '../create-catalogue.ts';
import { failureInRun } from '../health/failure-within.ts';
import type { ManifestWatch } from '../manifests/manage-manifests.ts';
import { eachAtMost } from '#platform/work/each-at-most.ts';
import type { RunProgress } from './run-progress.ts';

/** Servers asked at a time: each may take a connection, a program, and up to 10 s. */
const atOnce = 16;

/** Functions that a reload needs from a feature above, which only a broker has. */
export type ReloadParts = {
  watch: ManifestWatch;
  /** Lets the server's connections take no new calls, and end once their calls have. */
  reconnect(serverId: string): void;
};

/**
 * Opens new connections to servers and asks each what it offers. `progress` notes which ones answered.
 * @throws the error of a lost database
 */
export async function reloadServers(
  serverIds: readonly string[],
  signal: AbortSignal,
  parts: ReloadParts & { catalogue: Pick<Catalogue, 'snapshot'>; log: Log; progress?: RunProgress },
): Promise<void> {
  const { watch, catalogue, progress } = parts;
  const reload = async (serverId: string) => {
    progress?.note({ serverId, status: 'working' });
    parts.reconnect(serverId);
    watch.refresh([serverId], true);
    const logText = 'a server could not be reloaded';
    const message = await failureInRun(watch, serverId, signal, { log: parts.log, logText });
    // an aborted wait is left to another broker
    if (signal.aborted) return;
    const isThere = catalogue.snapshot().byId.has(serverId);
    if (!isThere) progress?.note({ serverId, status: 'failed', message: 'The server is not deployed any more.' });
    else progress?.note({ serverId, status: message === undefined ? 'done' : 'failed', message });
  };
  await eachAtMost(atOnce, serverIds, reload, signal);
}
