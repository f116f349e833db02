import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { channel } from './session-notices.ts';
import { readAddressee, type Stray, type Waiting } from './stray.ts';

/** How long a message waits for the process that it is meant for. */
const keepMs = 60_000;
const maxPerUser = 64;
const maxBytesPerUser = 8 * 1024 * 1024;
/** The id of a request is part of the notice, which PostgreSQL limits to 8000 bytes. */
const maxIdLength = 200;

/** Messages that reached another process than the one that they are meant for, on their way there. */
export type SessionMessages = {
  /** Stores a message and tells the other processes. Beyond the limits of a user, it is dropped. */
  send(session: { hash: string; context: RequestContext }, stray: Stray): Promise<void>;
  /** Takes a message out, so that one process delivers it; undefined if another one has. */
  take(waiting: Waiting): Promise<unknown>;
  /** The messages that wait for one of these sessions. */
  waiting(sessions: readonly string[]): Promise<Waiting[]>;
  removeExpired(): Promise<void>;
};

export function createSessionMessages({ db, clock, ids }: { db: Database; clock: Clock; ids: Ids }): SessionMessages {
  const oldest = () => new Date(clock.now() - keepMs);

  return {
    async send(session, { kind, target, message }) {
      if (typeof target === 'string' && target.length > maxIdLength) return;
      const id = ids.uuid();
      const text = JSON.stringify(message);
      const notice = { kind: 'message', session: session.hash, message: { id, kind, target } };
      // one statement, so that the notice cannot be sent before the message can be read
      await db.query(
        `with expired as (
           delete from mcp_session_messages where id in (
             select id from mcp_session_messages where user_id = $3 and created_at <= $8 for update skip locked
           )
         ), waiting as (
           select count(*) as number, coalesce(sum(octet_length(message)), 0) as bytes
           from mcp_session_messages where user_id = $3 and created_at > $8
         ), added as (
           insert into mcp_session_messages (id, session_hash, user_id, kind, target, message, created_at)
           select $1::uuid, $2, $3::uuid, $4, $5, $6::text, $7::timestamptz from waiting
           where number < $9 and bytes + octet_length($6::text) <= $10 returning id
         )
         select pg_notify($11, $12) from added`,
        [
          id,
          session.hash,
          session.context.caller.userId,
          kind,
          target === undefined ? null : JSON.stringify(target),
          text,
          new Date(clock.now()),
          oldest(),
          maxPerUser,
          maxBytesPerUser,
          channel,
          JSON.stringify(notice),
        ],
      );
    },

    async take({ id, session }) {
      const { rows } = await db.query<{ message: string }>(
        `delete from mcp_session_messages where id = $1 and session_hash = $2 and created_at > $3 returning message`,
        [id, session, oldest()],
      );
      return rows[0] && JSON.parse(rows[0].message);
    },

    async waiting(sessions) {
      const { rows } = await db.query<{ id: string; session_hash: string; kind: string; target: string | null }>(
        `select id, session_hash, kind, target from mcp_session_messages
         where session_hash = any($1::text[]) and created_at > $2 order by id`,
        [sessions, oldest()],
      );
      return rows.flatMap(({ id, session_hash: session, kind, target }) => {
        const addressee = readAddressee(kind, target === null ? undefined : JSON.parse(target));
        return addressee ? [{ ...addressee, id, session }] : [];
      });
    },

    async removeExpired() {
      await db.query(`delete from mcp_session_messages where created_at <= $1`, [oldest()]);
    },
  };
}
