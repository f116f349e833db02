import type { UsageRow } from '#features/billing/index.ts';
import type { Log } from '#platform/log.ts';
import { createSampledLog } from '#platform/sampled-log.ts';

/** Reasons that are not logged: a call that asks for input continues, and a tool's own error is its answer. */
const ordinary: ReadonlySet<string> = new Set(['input_required', 'tool_error']);
/** Refusals that are logged as failures, because the server was unreachable. */
const unreachable: ReadonlySet<string> = new Set(['upstream_unavailable', 'busy']);
const maxNameCharacters = 100;
/** A canceled call is only logged after this long: then the server may hang. */
const longWaitMs = 30_000;

export type CallLog = { note(rows: readonly UsageRow[]): void; stop(): void };

/**
 * Logs each failed and each refused call; in a flood only some of them, with the number of the rest. Never logs arguments, nor
 * the URI of a resource, which may be private.
 */
export function createCallLog(log: Log): CallLog {
  const failures = createSampledLog(log, 'more calls failed');
  const refusals = createSampledLog(log, 'more calls were refused');

  function logRow({ outcome, reason, serverId, kind, name, callId, durationMs, count }: UsageRow): void {
    if (outcome === 'ok' || (reason !== undefined && ordinary.has(reason))) return;
    if (outcome === 'cancelled' && durationMs < longWaitMs) return;
    const item = kind === 'resource' ? undefined : name.slice(0, maxNameCharacters);
    const details = { server: serverId, [kind]: item, code: reason ?? outcome, callId, count };
    if (outcome !== 'refused' || unreachable.has(details.code)) {
      failures.info({ ...details, durationMs: Math.round(durationMs) }, 'call failed');
    } else refusals.info(details, 'call refused');
  }

  return {
    note: (rows) => rows.forEach(logRow),
    stop() {
      failures.stop();
      refusals.stop();
    },
  };
}
