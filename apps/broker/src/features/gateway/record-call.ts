import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { UsageEvent } from '#features/usage/index.ts';
import type { GatewayParts } from './gateway-parts.ts';
import type { Person } from './person.ts';

export type Outcome = { outcome: UsageEvent['outcome']; reason: string | undefined; credits?: number };

/** Every call leaves a row, whatever became of it. */
export function recordCall(
  { caller }: Person,
  called: { id?: string | undefined; server: CatalogueServer; kind: UsageEvent['kind']; name: string },
  { outcome, reason, credits = 0 }: Outcome,
  startedAtMs: number,
  { usage, clock, ids }: Pick<GatewayParts, 'usage' | 'clock' | 'ids'>,
): void {
  const nowMs = clock.now();
  usage.record({
    callId: called.id ?? ids.uuid(),
    userId: caller.userId,
    serverId: called.server.id,
    kind: called.kind,
    name: called.name,
    outcome,
    reason,
    credits,
    durationMs: nowMs - startedAtMs,
    clientId: caller.clientId,
    tokenId: caller.tokenId,
    atMs: nowMs,
  });
}
