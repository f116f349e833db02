import { parseExactly } from '#platform/json/exact-numbers.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { RequestContext } from '../../view/request-context.ts';
import { createMessageRows } from '../../replicas/message-rows.ts';
import { channel } from './session-notices.ts';
import { readAddressee, type Stray, type Waiting } from './stray.ts';

const maxBytesPerUser = 8 * 1024 * 1024;
/** The id of a request is part of the notice, which PostgreSQL limits to 8000 bytes. */
const maxIdLength = 200;

export type StoredMessage = Pick<Waiting, 'id' | 'session'>;
export type SessionMessages = ReturnType<typeof createSessionMessages>;

/** Messages that reached the wrong process, on their way to the right one. */
export function createSessionMessages({ db, clock, ids }: { db: Database; clock: Clock; ids: Ids }) {
  const rows = createMessageRows({
    query: db.query,
    clock,
    table: 'mcp_session_messages',
    recipient: 'session_hash',
    channel,
    maxBytesPerUser,
  });

  return {
    /**
     * Stores a message and notifies the other processes. Drops it beyond the limits of a user.
     * @returns a reference for `take`
     */
    async send(
      session: { hash: string; context: RequestContext },
      { kind, target, message }: Stray,
    ): Promise<StoredMessage | undefined> {
      if (typeof target === 'string' && target.length > maxIdLength) return undefined;
      const id = ids.uuid();
      const notice = { kind: 'message', session: session.hash, message: { id, kind, target } };
      const added = await rows.add(
        {
          id,
          recipient: session.hash,
          userId: session.context.caller.userId,
          kind,
          target: target === undefined ? null : JSON.stringify(target),
          message: JSON.stringify(message),
        },
        JSON.stringify(notice),
      );
      return added ? { id, session: session.hash } : undefined;
    },

    /** Takes a message out, so that only one process delivers it; undefined if another one has. */
    async take({ id, session }: StoredMessage): Promise<unknown> {
      const taken = await rows.take({ id, recipient: session });
      return taken && parseExactly(taken.message);
    },

    async waiting(sessions: readonly string[]): Promise<Waiting[]> {
      return (await rows.waiting(sessions)).flatMap(({ id, recipient: session, kind, target }) => {
        const addressee = readAddressee(kind, target === null ? undefined : JSON.parse(target));
        return addressee ? [{ ...addressee, id, session }] : [];
      });
    },

    removeExpired: rows.removeExpired,
  };
}
