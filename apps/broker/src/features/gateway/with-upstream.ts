import type { Upstream } from '#adapters/mcp/types.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { Person } from './person.ts';

/**
 * Runs one exchange on the person's connection to a server, if the server has a place free. A session that the server has forgotten was refused before
 * anything ran, so that alone is tried once more, on a new connection; nothing else ever is (gateway.md, Lifetimes).
 */
export async function withUpstream<T>(
  server: CatalogueServer,
  person: Person,
  parts: Pick<GatewayParts, 'pool' | 'inFlight'>,
  exchange: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const leave = parts.inFlight.enter(server.id, server.manifest.maxInFlight);
  if (!leave) throw new UpstreamError('busy', `${server.id} has ${server.manifest.maxInFlight} calls under way`);
  try {
    return await onceOrAgain(server, person, parts, exchange);
  } finally {
    leave();
  }
}

async function onceOrAgain<T>(
  server: CatalogueServer,
  person: Person,
  parts: Pick<GatewayParts, 'pool'>,
  exchange: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  try {
    return await once(server, person, parts, exchange);
  } catch (error) {
    if (!(error instanceof UpstreamError) || error.kind !== 'session_lost') throw error;
    await parts.pool.drop(server, person.caller.userId);
    return once(server, person, parts, exchange);
  }
}

async function once<T>(
  server: CatalogueServer,
  person: Person,
  { pool }: Pick<GatewayParts, 'pool'>,
  exchange: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const lease = await pool.acquire(server, person.caller.userId);
  try {
    return await exchange(lease.upstream);
  } finally {
    lease.release();
  }
}
