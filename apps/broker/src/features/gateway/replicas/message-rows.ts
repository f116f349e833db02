import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';

const keepMs = 60_000;
const maxPerUser = 64;

/** `recipient` and `target` say whom and what a message is for. `kind` is one of those that its table allows. */
export type WaitingMessage = { id: string; recipient: string; kind: string; target: string | null };
type NewMessage = WaitingMessage & { userId: string; message: string };

export type MessageRows = ReturnType<typeof createMessageRows>;

/**
 * Messages from one process to another: rows that the recipient deletes, each announced by NOTIFY.
 * @param table has the columns id, user_id, kind, target, message and created_at
 * @param recipient the column with a message's recipient
 * @param channel NOTIFY channel of the announcements
 */
export function createMessageRows(options: {
  query: Query;
  clock: Clock;
  table: string;
  recipient: string;
  channel: string;
  maxBytesPerUser: number;
}) {
  const { query, clock, table, recipient: column, channel, maxBytesPerUser } = options;
  const oldest = () => new Date(clock.now() - keepMs);

  return {
    /** Stores a message and sends the notice. @returns false, with nothing stored, if too much is waiting for its user */
    async add({ id, recipient, userId, kind, target, message }: NewMessage, notice: string): Promise<boolean> {
      // one statement, so that the notice cannot be sent before the message can be read
      const { rows } = await query(
        `with expired as (
           delete from ${table} where id in (
             select id from ${table} where user_id = $3 and created_at <= $8 for update skip locked
           )
         ), waiting as (
           select count(*) as number, coalesce(sum(octet_length(message)), 0) as bytes
           from ${table} where user_id = $3 and created_at > $8
         ), added as (
           insert into ${table} (id, ${column}, user_id, kind, target, message, created_at)
           select $1::uuid, $2, $3::uuid, $4, $5, $6::text, $7::timestamptz from waiting
           where number < $9 and bytes + octet_length($6::text) <= $10 returning id
         )
         select pg_notify($11, $12) from added`,
        [
          id,
          recipient,
          userId,
          kind,
          target,
          message,
          new Date(clock.now()),
          oldest(),
          maxPerUser,
          maxBytesPerUser,
          channel,
          notice,
        ],
      );
      return rows.length > 0;
    },

    /** Takes a message out, so that only one process handles it; undefined if another one has. */
    async take({ id, recipient }: Pick<WaitingMessage, 'id' | 'recipient'>) {
      const { rows } = await query<{ user_id: string; message: string }>(
        `delete from ${table} where id = $1 and ${column} = $2 and created_at > $3 returning user_id, message`,
        [id, recipient, oldest()],
      );
      return rows[0] && { userId: rows[0].user_id, message: rows[0].message };
    },

    async waiting(recipients: readonly string[]): Promise<WaitingMessage[]> {
      const { rows } = await query<WaitingMessage>(
        `select id, ${column} as recipient, kind, target from ${table}
         where ${column} = any($1::text[]) and created_at > $2 order by id`,
        [recipients, oldest()],
      );
      return rows;
    },

    async removeExpired(): Promise<void> {
      await query(`delete from ${table} where created_at <= $1`, [oldest()]);
    },
  };
}
