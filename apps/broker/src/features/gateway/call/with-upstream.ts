import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CallerSignal, Upstream } from '#adapters/mcp/upstream.ts';
import type { CatalogueItem, CatalogueServer } from '#features/catalogue/index.ts';
import { abortSignalOf } from '#platform/cancellation.ts';
import { asRecord } from '#platform/json.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { RequestContext } from '../view/request-context.ts';

type Pool = GatewayParts['pool'];
type Lease = Awaited<ReturnType<Pool['acquire']>>;
export type Admission = NonNullable<ReturnType<Pool['admitNow']>>;

/**
 * Waits until the server's breaker and queue admit the call. Returns no promise if a place is free.
 * @param signal the caller's signal, which ends the wait
 * @throws UpstreamError unreachable (the circuit is open), busy, cancelled
 */
export function admit(
  server: CatalogueServer,
  { caller: { userId } }: RequestContext,
  pool: Pool,
  signal: CallerSignal,
): Admission | Promise<Admission> {
  return pool.admitNow(server, userId) ?? pool.admit(server, userId, abortSignalOf(signal));
}

/** Leaves the place after a failure. Our own fault or a caller that hung up does not count for the server's health. */
export function leaveAfter(error: unknown, admission: Admission, signal: CallerSignal): void {
  const isItsOwn = error instanceof UpstreamError && !signal.aborted;
  admission.leave(isItsOwn ? error.kind : 'cancelled');
}

/**
 * Runs one exchange on the user's upstream connection. Only a lost session is retried, once, on a new connection: the server
 * refused that request before running anything (gateway.md, Lifetimes). Where it may have run, only a repeatable one is sent
 * again.
 * @throws UpstreamError of the upstream connection or the exchange
 */
export async function exchange<T>(
  { server, tool }: { server: CatalogueServer; tool?: CatalogueItem | undefined },
  { caller: { userId }, capabilities }: RequestContext,
  pool: Pool,
  send: (upstream: Upstream) => Promise<T>,
): Promise<T> {
  const needs = { capabilities };
  for (let isLast = false; ; isLast = true) {
    let lease: Lease | undefined;
    try {
      const acquired = pool.acquire(server, userId, needs);
      lease = acquired instanceof Promise ? await acquired : acquired;
      return await send(lease.upstream);
    } catch (error) {
      // a session that was opened just now is not the one that is unknown: the server speaks of sessions of its own
      if (isLast || !(error instanceof UpstreamError) || !error.hasLostSession) throw error;
      lease?.drop();
      if (error.mayHaveRun && !isRepeatable(tool)) throw error;
    } finally {
      lease?.release();
    }
  }
}

/** Whether a second run changes nothing more: of a tool by what its server declares (2025-03-26, server/tools). */
function isRepeatable(tool: CatalogueItem | undefined): boolean {
  // a prompt, a resource or a completion is only read
  if (!tool) return true;
  const { readOnlyHint, idempotentHint } = asRecord(tool.definition['annotations']) ?? {};
  return readOnlyHint === true || idempotentHint === true;
}
