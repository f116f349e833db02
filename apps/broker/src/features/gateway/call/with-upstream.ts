import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CallerSignal, Upstream } from '#adapters/mcp/upstream.ts';
import type { CatalogueItem, CatalogueServer } from '#features/catalogue/index.ts';
import { abortSignalOf } from '#platform/cancellation.ts';
import { asRecord } from '#platform/json.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { RequestContext } from '../view/request-context.ts';

type Pool = GatewayParts['pool'];
type ConnectionUse = Awaited<ReturnType<Pool['acquire']>>;
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

/** Leaves the place after a failure. Our own faults and callers that hung up do not count for the server's health. */
export function leaveAfter(error: unknown, admission: Admission, signal: CallerSignal): void {
  const isItsOwn = error instanceof UpstreamError && !signal.aborted;
  admission.leave(isItsOwn ? error.kind : 'cancelled');
}

/**
 * Runs one exchange on the user's upstream connection. Only a lost session is retried, once, on a new connection: the server
 * refused that request before running anything. If it may have run, only a repeatable request is
 * retried.
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
    let use: ConnectionUse | undefined;
    try {
      const acquired = pool.acquire(server, userId, needs);
      use = acquired instanceof Promise ? await acquired : acquired;
      return await send(use.upstream);
    } catch (error) {
      // the second attempt has a new MCP session, so the error is about a session of the server's own
      if (isLast || !(error instanceof UpstreamError) || !error.hasLostSession) throw error;
      use?.drop();
      if (error.mayHaveRun && !isRepeatable(tool)) throw error;
    } finally {
      use?.release();
    }
  }
}

/** Whether a second run has no further effect. For a tool, its server declares that (2025-03-26, server/tools). */
function isRepeatable(tool: CatalogueItem | undefined): boolean {
  // prompts, resources and completions are only read
  if (!tool) return true;
  const { readOnlyHint, idempotentHint } = asRecord(tool.definition['annotations']) ?? {};
  return readOnlyHint === true || idempotentHint === true;
}
