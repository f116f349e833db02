import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Catalogue, CatalogueServer } from '#features/catalogue/index.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import { needsOwnSecrets } from '../sign-in/credentials.ts';
import { NoConnectionLeft } from '../pool/connection-limits.ts';
import { leaveOut } from './leave-out.ts';
import { describeFailure, reasonOf } from './describe-failure.ts';
import { signInRequired } from './discover-server.ts';
import type { WatchedServer } from './watched-server.ts';

/** With the interval of the checks, a server that hangs is found within the 15 s that we promise. */
const pingTimeoutMs = 4_000;

const circuitOpen = 'Paused after repeated failures; retrying shortly.';

/**
 * Pings a server and stores its status.
 * @returns whether it has come back: it may be another version with other tools, so it is to be discovered
 */
export async function checkHealth(
  server: CatalogueServer,
  watched: Pick<WatchedServer, 'failure' | 'isLeftOut'>,
  {
    catalogue,
    pool,
    hide,
    isWanted,
  }: {
    catalogue: Catalogue;
    pool: UpstreamPool;
    /** A text about a server without its secrets. */
    hide(serverId: string, text: string): string;
    /** Whether it is deployed, and the broker not stopping. */
    isWanted(): boolean;
  },
): Promise<boolean> {
  const wasDown = server.status !== 'connected';
  try {
    const wantsSignIn = await ping(server, pool);
    watched.failure = undefined;
    watched.isLeftOut = false;
    // A server that a check has found down is up again; any other may have been unreachable between two checks.
    if (wasDown && server.statusDetail !== circuitOpen) pool.retryNow(server.id);
    pool.answeredCheck(server.id);
    // It answers pings, but its calls fail.
    if (pool.isCircuitOpen(server.id)) {
      await catalogue.setHealth(server.id, { status: 'error', detail: circuitOpen, era: undefined });
      return false;
    }
    // There is nothing new to discover where each person's account is asked.
    if (wasDown && !wantsSignIn) return true;
    const detail = wantsSignIn ? signInRequired : undefined;
    await catalogue.setHealth(server.id, { status: 'connected', detail, era: undefined });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    // what ended the check is no failure of the server
    if (!isWanted()) return false;
    if (error instanceof NoConnectionLeft) {
      await leaveOut(server, watched, catalogue);
      return false;
    }
    pool.retireShared(server);
    pool.failedCheck(server.id, error.kind);
    // first, since the log tells it with the change of the status
    watched.failure = hide(server.id, reasonOf(error));
    await catalogue.setHealth(server.id, describeFailure(error));
  }
  return false;
}

/** Whether the server answers that each person has to sign in first, as it should. @throws UpstreamError */
async function ping(server: CatalogueServer, pool: UpstreamPool): Promise<boolean> {
  try {
    const lease = await pool.acquire(server, undefined);
    await lease.upstream.ping(pingTimeoutMs).finally(lease.release);
    return false;
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'sign_in_required' && needsOwnSecrets(server)) return true;
    throw error;
  }
}
