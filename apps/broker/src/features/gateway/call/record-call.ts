import { monotonicMs } from '#platform/clock.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { Call, Target } from './call.ts';
import type { Outcome } from './outcome.ts';

/** A name in a request can be very long: the usage row stores at most this much of it. */
const maxNameCharacters = 1024;

/** Records the usage row that every call leaves. */
export function recordCall(
  { logical, kind, context: { caller } }: Pick<Call, 'logical' | 'kind' | 'context'>,
  target: Target,
  { outcome, reason, credits }: Outcome & { credits: number },
  startedAtMs: number,
  { charges, clock }: Pick<GatewayParts, 'charges' | 'clock'>,
): void {
  charges.record({
    callId: logical.id,
    userId: caller.userId,
    serverId: 'server' in target ? target.server.id : undefined,
    kind,
    name: target.name.length > maxNameCharacters ? target.name.slice(0, maxNameCharacters) : target.name,
    outcome,
    reason,
    credits,
    durationMs: monotonicMs(clock) - startedAtMs,
    clientId: caller.clientId,
    tokenId: caller.tokenId,
    atMs: clock.now(),
  });
}
