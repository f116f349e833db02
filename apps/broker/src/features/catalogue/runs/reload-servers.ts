import type { Log } from '#platform/log.ts';
import type { Catalogue } from '../create-catalogue.ts';
import { waitForDiscoveryInRun } from '../health/wait-for-discovery.ts';
import type { ManifestWatch } from '../manifests/manage-manifests.ts';
import { eachAtMost } from '#platform/work/each-at-most.ts';
import type { RunProgress } from './run-progress.ts';

/** Servers reloaded concurrently: each may take a connection, a program, and up to 10 s. */
const atOnce = 16;

/** Functions that a reload needs from a feature above, which only a broker has. */
export type ReloadParts = {
  watch: ManifestWatch;
  /** Closes the server's connections as soon as their calls have ended. New calls open new connections. */
  reconnect(serverId: string): void;
};

/**
 * Opens new connections to servers and discovers each. `progress` records which ones answered.
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
    const message = await waitForDiscoveryInRun(watch, serverId, signal, { log: parts.log, logText });
    // another broker waits instead
    if (signal.aborted) return;
    const isThere = catalogue.snapshot().byId.has(serverId);
    if (!isThere) progress?.note({ serverId, status: 'failed', message: 'The server is not deployed any more.' });
    else progress?.note({ serverId, status: message === undefined ? 'done' : 'failed', message });
  };
  await eachAtMost(atOnce, serverIds, reload, signal);
}
