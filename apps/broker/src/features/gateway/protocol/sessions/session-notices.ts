import type { LoggingLevel } from '@modelcontextprotocol/server';
import { asRecord } from '#platform/json.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { readWaiting, type Waiting } from './stray.ts';
import { levelOf } from './session-store.ts';

export const channel = 'mcp_sessions';

/** A change of a session in one of the processes. `session` is its hash. */
export type SessionNotice =
  | { kind: 'ended'; session: string }
  | { kind: 'subscriptions'; session: string }
  | { kind: 'log-level'; session: string; level: LoggingLevel }
  | { kind: 'message'; session: string; message: Waiting };

export type SessionNotices = Awaited<ReturnType<typeof listenToSessions>>;

/**
 * Lets processes notify each other of what happened to a session that another one may have in memory.
 * @param on `missed` is called when notices may have been missed, and `unheard` now and then while none come
 */
export async function listenToSessions(
  db: Database,
  log: Log,
  on: { notice(notice: SessionNotice): void; missed(): void; unheard(): void },
) {
  const hear = (payload: string) => {
    if (payload === '') return on.missed();
    const notice = readNotice(payload);
    if (notice) on.notice(notice);
  };
  const stop = await db.listen(channel, hear, on.unheard);
  return {
    /** Never fails: the row is authoritative, and a process that missed a notice rereads it. */
    async tell(notice: SessionNotice): Promise<void> {
      await db.notify(channel, JSON.stringify(notice)).catch((error: unknown) => {
        log.warn({ err: error }, 'a change of a session was not announced to the other replicas');
      });
    },
    stop,
  };
}

function readNotice(payload: string): SessionNotice | undefined {
  const { kind, session, level, message } = asRecord(JSON.parse(payload)) ?? {};
  if (typeof session !== 'string') return undefined;
  if (kind === 'ended' || kind === 'subscriptions') return { kind, session };
  if (kind === 'message') {
    const waiting = readWaiting(session, message);
    return waiting && { kind, session, message: waiting };
  }
  const known = levelOf(typeof level === 'string' ? level : undefined);
  return kind === 'log-level' && known ? { kind, session, level: known } : undefined;
}
