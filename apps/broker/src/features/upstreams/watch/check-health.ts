import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { inBackground } from '#platform/db/background-work.ts';
import type { UpstreamPool } from '../pool/upstream-pool.ts';
import { needsOwnSecrets } from '../sign-in/credentials.ts';
import { NoConnectionLeft } from '../pool/connection-limits.ts';
import { isEraStale } from '../pool/open-connection.ts';
import { leaveOut } from './leave-out.ts';
import { describeFailure, reasonOf } from './describe-failure.ts';
import { signInRequired } from './discover-server.ts';
import type { WatchParts } from './watch-parts.ts';
import { isNew, mayRetry, watchedOf, type WatchedServer } from './watched-server.ts';

/** Timeout of a check. With the check interval, it finds a hanging server within the promised 15 s. */
const pingTimeoutMs = 4_000;

const circuitOpen = 'Paused after repeated failures; retrying shortly.';

/** Checks a server in the background, and discovers it again if that is due. */
export function checkLater(server: CatalogueServer, parts: WatchParts): void {
  parts.background.add(
    inBackground(() => check(server, parts)),
    'a server could not be checked',
  );
}

async function check(server: CatalogueServer, parts: WatchParts): Promise<void> {
  const watched = watchedOf(server.id, parts.watchedById);
  if (watched.isBeingChecked || watched.discovery) return;
  watched.isBeingChecked = true;
  try {
    if (await needsDiscovery(server, watched, parts)) await parts.asked.discover(server);
  } finally {
    watched.isBeingChecked = false;
  }
}

async function needsDiscovery(server: CatalogueServer, watched: WatchedServer, parts: WatchParts): Promise<boolean> {
  const { time, pool } = parts;
  if (isNew(server)) return mayRetry(server, watched, time);
  // A stdio server starts on first use, so only a failed start is a fault.
  if (server.manifest.connection.type === 'stdio') {
    return server.status !== 'connected' && mayRetry(server, watched, time);
  }
  if (isEraStale(server, parts.clock)) {
    pool.retireShared(server);
    return true;
  }
  return checkHealth(server, watched, parts);
}

/**
 * Pings a server and stores its status.
 * @returns whether it came back and has to be discovered, since it may be another version with other tools
 */
async function checkHealth(
  server: CatalogueServer,
  watched: WatchedServer,
  { catalogue, pool, hide, state, find }: WatchParts,
): Promise<boolean> {
  const wasDown = server.status !== 'connected';
  try {
    const wantsSignIn = await ping(server, pool);
    watched.failure = undefined;
    watched.isLeftOut = false;
    // A server that checks found down answers again, so its circuit need not wait.
    if (wasDown && server.statusDetail !== circuitOpen) pool.retryNow(server.id);
    pool.answeredCheck(server.id);
    // The server answers pings, but its calls fail.
    if (pool.isCircuitOpen(server.id)) {
      await catalogue.setHealth(server.id, { status: 'error', detail: circuitOpen, era: undefined });
      return false;
    }
    // If the server requires each user's sign-in, there is nothing to discover here.
    if (wasDown && !wantsSignIn) return true;
    const detail = wantsSignIn ? signInRequired : undefined;
    await catalogue.setHealth(server.id, { status: 'connected', detail, era: undefined });
  } catch (error) {
    if (!(error instanceof UpstreamError)) throw error;
    // neither a stop nor an undeployment is a failure of the server
    if (state.isStopping || find(server.id) === undefined) return false;
    if (error instanceof NoConnectionLeft) {
      await leaveOut(server, watched, catalogue);
      return false;
    }
    pool.retireShared(server);
    pool.failedCheck(server.id, error.kind);
    // set before the status, whose change is logged with it
    watched.failure = hide(server.id, reasonOf(error));
    await catalogue.setHealth(server.id, describeFailure(error));
  }
  return false;
}

/**
 * Returns whether the server answers that each user has to sign in, in accordance with its manifest.
 * @throws UpstreamError
 */
async function ping(server: CatalogueServer, pool: UpstreamPool): Promise<boolean> {
  try {
    const use = await pool.acquire(server, undefined);
    await use.upstream.ping(pingTimeoutMs).finally(use.release);
    return false;
  } catch (error) {
    if (error instanceof UpstreamError && error.kind === 'sign_in_required' && needsOwnSecrets(server)) return true;
    throw error;
  }
}
