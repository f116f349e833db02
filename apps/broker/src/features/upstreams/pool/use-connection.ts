import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Upstream } from '#adapters/mcp/upstream.ts';
import type { OpenConnection } from './open-connection.ts';
import type { PoolParts } from './pool-parts.ts';

export type ConnectionUse = {
  upstream: Upstream;
  /** Releases the connection. Only the first call counts. */
  release(): void;
  /**
   * Reports that the connection no longer works: it takes no new use and is closed when its calls have ended. The next
   * use opens another.
   */
  drop(): void;
};

/**
 * Begins a use of a connection. Returns no promise when it is open.
 * @param isLasting whether the use lasts as long as a client wants
 * @throws UpstreamError (rejects)
 */
export function beginUse(
  entry: OpenConnection,
  isLasting: boolean | undefined,
  parts: Pick<PoolParts, 'connections' | 'supervisor' | 'time'>,
): ConnectionUse | Promise<ConnectionUse> {
  entry.isRetired = false;
  entry.inFlight++;
  if (isLasting) entry.lasting++;
  let released = false;
  const release = () => {
    if (released) return;
    released = true;
    entry.inFlight--;
    if (isLasting) entry.lasting--;
    entry.usedAtMs = parts.time.now();
    if (entry.inFlight === 0) parts.supervisor.becameIdle();
    parts.connections.closeIfDone(entry);
  };
  // when two calls lose the same session, the second must not close the connection that the first has opened since
  const drop = () => parts.connections.replace(entry);
  if (entry.upstream) return { upstream: entry.upstream, release, drop };
  return entry.opening.then(
    (upstream) => ({ upstream, release, drop }),
    (error: unknown) => {
      release();
      throw error;
    },
  );
}

/**
 * Runs `work` on a connection of the pool and releases it. Drops a connection whose session the server has lost.
 * @throws what acquiring and `work` throw
 */
export async function useConnection<T>(
  acquired: ConnectionUse | Promise<ConnectionUse>,
  work: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const use = await acquired;
  try {
    return await work(use.upstream);
  } catch (error) {
    if (error instanceof UpstreamError && error.hasLostSession) use.drop();
    throw error;
  } finally {
    use.release();
  }
}
