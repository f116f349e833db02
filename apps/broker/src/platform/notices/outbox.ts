import { join } from 'node:path';
import type { NoticeKind } from '@souk/contract/notices.ts';
import type { Migration, Query } from '../db/database.ts';
import { readStatements } from '../db/read-statements.ts';
import type { FactsOf } from './notice-facts.ts';

export const noticeMigrations: readonly Migration[] = [
  { name: '0005-platform-notices', statements: readStatements(join(import.meta.dirname, 'tables.sql')) },
];

export type NewNotice<Kind extends NoticeKind = NoticeKind> = {
  kind: Kind;
  userId: string;
  /** Identifies the event by the ids of its objects. Unique per kind, so that an event that is read twice is sent once. */
  event: string;
  facts: FactsOf<Kind>;
};

/** Notifies a user in the transaction of the event: the mail is sent later, once, unless the transaction is rolled back. */
export async function queueNotice<Kind extends NoticeKind>(
  query: Query,
  { kind, userId, event, facts }: NewNotice<Kind>,
  at: Date,
): Promise<void> {
  await query(
    `insert into notices (key, user_id, kind, facts, created_at, next_at) values ($1, $2, $3, $4::jsonb, $5, $5)
     on conflict (key) do nothing`,
    [`${kind}:${event}`, userId, kind, JSON.stringify(facts), at],
  );
}

/** A deleted account, for its last mail. */
export type Farewell = { userId: string; email: string; by: FactsOf<'account_deleted'>['by'] };

/**
 * Notifies a user that their account is deleted, in the transaction of the deletion. The row belongs to no account, so that
 * the deletion does not remove it. It contains the address until it has ended, and only if there is a mail server.
 */
export async function queueFarewell(
  query: Query,
  { userId, email, by }: Farewell,
  { at, isSent }: { at: Date; isSent: boolean },
): Promise<void> {
  const facts: FactsOf<'account_deleted'> = { at: at.toISOString(), by };
  await query(
    `insert into notices (key, kind, facts, created_at, next_at, address) values ($1, 'account_deleted', $2::jsonb, $3, $3, $4)
     on conflict (key) do nothing`,
    [`account_deleted:${userId}`, JSON.stringify(facts), at, isSent ? email : null],
  );
}
