import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Upstream } from '#adapters/mcp/upstream.ts';
import type { Lease } from './live-connections.ts';

/**
 * Runs `use` on a connection of the pool and releases it. One whose session the server has lost is dropped: whoever asks
 * next gets another one.
 * @throws what acquiring and `use` throw
 */
export async function useLease<T>(
  acquired: Lease | Promise<Lease>,
  use: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const lease = await acquired;
  try {
    return await use(lease.upstream);
  } catch (error) {
    if (error instanceof UpstreamError && error.hasLostSession) lease.drop();
    throw error;
  } finally {
    lease.release();
  }
}
