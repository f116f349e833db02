import type { UsageRow } from '#features/billing/index.ts';
import type { Log } from '#platform/log.ts';
import { createSampledLog } from '#platform/sampled-log.ts';

/** Ends of a call that are nobody's fault: a server that asks for input goes on, and a tool's own error is its answer. */
const ordinary: ReadonlySet<string> = new Set(['input_required', 'tool_error']);
/** The server was not reached, although the call was not sent. */
const unreachable: ReadonlySet<string> = new Set(['upstream_unavailable', 'busy']);
const maxNameCharacters = 100;
/** A person who changes their mind is no news; a client that gave up after so long says that its server hangs. */
const longWaitMs = 30_000;

export type CallLog = { note(rows: readonly UsageRow[]): void; stop(): void };

/**
 * A line for each call that failed, and for each that was refused; in a flood for some of them, with the number of the
 * others. Never an argument: of a resource not even its address, which may hold what is private.
 */
export function createCallLog(log: Log): CallLog {
  const failures = createSampledLog(log, 'more calls failed');
  const refusals = createSampledLog(log, 'more calls were refused');

  function noteRow({ outcome, reason, serverId, kind, name, callId, durationMs, count }: UsageRow): void {
    if (outcome === 'ok' || (reason !== undefined && ordinary.has(reason))) return;
    if (outcome === 'cancelled' && durationMs < longWaitMs) return;
    const item = kind === 'resource' ? undefined : name.slice(0, maxNameCharacters);
    const details = { server: serverId, [kind]: item, code: reason ?? outcome, callId, count };
    if (outcome !== 'refused' || unreachable.has(details.code)) {
      failures.info({ ...details, durationMs: Math.round(durationMs) }, 'call failed');
    } else refusals.info(details, 'call refused');
  }

  return {
    note: (rows) => rows.forEach(noteRow),
    stop() {
      failures.stop();
      refusals.stop();
    },
  };
}
