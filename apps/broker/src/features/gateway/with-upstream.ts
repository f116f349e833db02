import { Cancellation } from '#adapters/mcp/plain/cancellation.ts';
import type { Upstream } from '#adapters/mcp/types.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { ConnectionNeeds } from '#features/connections/index.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { Person } from './person.ts';

/** A caller's hanging up, of either way of a call. */
export type CallerSignal = AbortSignal | Cancellation;

/**
 * Runs one exchange on the person's connection to a server, when the server is well and has a place free. A session
 * that the server has forgotten was refused before anything ran, so that alone is tried once more, on a new connection;
 * nothing else ever is (gateway.md, Lifetimes).
 *
 * @param signal the caller's own: who has hung up waits for no place
 * @throws UpstreamError of the exchange, or: unreachable (left alone after failures), busy, cancelled
 */
export async function withUpstream<T>(
  server: CatalogueServer,
  person: Person,
  { pool }: Pick<GatewayParts, 'pool'>,
  exchange: (upstream: Upstream) => Promise<T>,
  signal: CallerSignal,
): Promise<T> {
  const {
    caller: { userId },
    capabilities,
  } = person;
  const admission = pool.admitNow(server, userId) ?? (await pool.admit(server, userId, asAbortSignal(signal)));
  try {
    const result = await onceOrAgain(server, userId, { capabilities }, pool, exchange);
    admission.settle(undefined);
    return result;
  } catch (error) {
    // a fault of ours says nothing of the server, and a caller who hung up may well be why its answer broke off
    const isItsOwn = error instanceof UpstreamError && !signal.aborted;
    admission.settle(isItsOwn ? error.kind : 'cancelled');
    throw error;
  }
}

function asAbortSignal(signal: CallerSignal): AbortSignal {
  return signal instanceof Cancellation ? signal.toSignal() : signal;
}

async function onceOrAgain<T>(
  server: CatalogueServer,
  userId: string,
  needs: ConnectionNeeds,
  pool: GatewayParts['pool'],
  exchange: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  try {
    return await once(server, userId, needs, pool, exchange);
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'session_lost') throw error;
    await pool.drop(server, userId, needs);
    return once(server, userId, needs, pool, exchange);
  }
}

async function once<T>(
  server: CatalogueServer,
  userId: string,
  needs: ConnectionNeeds,
  pool: GatewayParts['pool'],
  exchange: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const acquired = pool.acquire(server, userId, needs);
  const lease = acquired instanceof Promise ? await acquired : acquired;
  try {
    return await exchange(lease.upstream);
  } finally {
    lease.release();
  }
}
