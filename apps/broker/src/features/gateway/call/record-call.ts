import type { UsageRow } from '#features/billing/index.ts';
import { monotonicMs, type Clock } from '#platform/clock.ts';
import type { Call, Target } from './call.ts';
import type { Outcome } from './outcome.ts';

/** Characters of a requested name that the usage row stores. */
const maxNameCharacters = 1024;

/**
 * Returns a call's usage row. A later round writes the row of the earlier rounds again: it has their time, which is part of
 * its key, and its duration includes theirs.
 */
export function rowOf(
  { logical, kind, context: { caller } }: Pick<Call, 'logical' | 'kind' | 'context'>,
  target: Target,
  { outcome, reason, credits }: Outcome & { credits: number },
  startedAtMs: number,
  clock: Clock,
): UsageRow {
  // refusals by the rate limit share one row
  const isCounted = reason === 'rate_limited';
  const left = isCounted ? undefined : logical.left;
  const atMs = left?.atMs ?? clock.now();
  const durationMs = monotonicMs(clock) - startedAtMs + (left?.durationMs ?? 0);
  if (outcome !== 'ok' && !isCounted) logical.left = { atMs, durationMs };
  return {
    callId: logical.id,
    userId: caller.userId,
    serverId: 'server' in target ? target.server.id : undefined,
    kind,
    name: target.name.length > maxNameCharacters ? target.name.slice(0, maxNameCharacters) : target.name,
    outcome,
    reason,
    credits,
    rounds: logical.answers === undefined || isCounted ? undefined : logical.answers + 1,
    durationMs,
    clientId: caller.clientId,
    tokenId: caller.tokenId,
    atMs,
  };
}
