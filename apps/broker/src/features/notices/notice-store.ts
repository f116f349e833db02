import { isPersonNotice, type PersonNotice } from '@souk/contract/notices.ts';
import type { Query } from '#platform/db/database.ts';

export type ClaimedNotice = {
  key: string;
  userId: string | undefined;
  /** undefined for a notice of another version of the product. */
  kind: PersonNotice | 'alert' | undefined;
  facts: unknown;
  /** The address of a deleted account, stored only here and only until the notice has ended. */
  address: string | undefined;
  createdAt: Date;
  /** Attempt number, from 1. */
  attempts: number;
};

/**
 * - sent: the mail server or the alert webhook accepted it
 * - shown: on the demo's page
 * - unwanted: the user has switched its kind off
 * - no_recipient: the account is deleted or deactivated
 * - no_channel: no way to send it is configured
 * - given_up: it could not be sent in time, or its address does not exist
 */
export type Outcome = 'sent' | 'shown' | 'unwanted' | 'no_recipient' | 'no_channel' | 'given_up';

type Row = {
  key: string;
  user_id: string | null;
  kind: string;
  facts: unknown;
  address: string | null;
  created_at: Date;
  attempts: number;
};

const present = (row: Row): ClaimedNotice => ({
  key: row.key,
  userId: row.user_id ?? undefined,
  kind: isPersonNotice(row.kind) || row.kind === 'alert' ? row.kind : undefined,
  facts: row.facts,
  address: row.address ?? undefined,
  createdAt: row.created_at,
  attempts: row.attempts,
});

/** Takes the next due notice. Other processes can take it only after `until`, in case this one is killed. */
export async function claimDue(query: Query, now: Date, until: Date): Promise<ClaimedNotice | undefined> {
  const { rows } = await query<Row>(
    `update notices set attempts = attempts + 1, next_at = $2 where key = (
       select key from notices where next_at <= $1 order by next_at limit 1 for update skip locked)
     returning key, user_id, kind, facts, address, created_at, attempts`,
    [now, until],
  );
  const [row] = rows;
  return row && present(row);
}

export async function listNewest(query: Query, limit: number): Promise<ClaimedNotice[]> {
  const { rows } = await query<Row>(
    `select key, user_id, kind, facts, address, created_at, attempts from notices
     order by created_at desc, key limit $1`,
    [limit],
  );
  return rows.map(present);
}

/** Ends a notice, unless another process has taken it over. */
export async function endNotice(
  query: Query,
  { key, attempts }: ClaimedNotice,
  { outcome, at, error }: { outcome: Outcome; at: Date; error?: string },
): Promise<void> {
  await query(
    `update notices set next_at = null, done_at = $3, outcome = $4,
       error = coalesce($5, case when $4 = 'given_up' then error end)
     where key = $1 and attempts = $2 and done_at is null`,
    [key, attempts, at, outcome, error ?? null],
  );
}

/** Postpones a notice. @param counts whether this was an attempt */
export async function postponeNotice(
  query: Query,
  { key, attempts }: ClaimedNotice,
  { nextAt, error, counts }: { nextAt: Date; error?: string; counts: boolean },
): Promise<void> {
  await query(
    `update notices set next_at = $3, error = $4, attempts = attempts - $5 where key = $1 and attempts = $2 and done_at is null`,
    [key, attempts, nextAt, error ?? null, counts ? 0 : 1],
  );
}

export async function countSent(query: Query, userId: string, since: Date): Promise<number> {
  const { rows } = await query<{ sent: number }>(
    `select count(*)::int as sent from notices where user_id = $1 and done_at > $2 and outcome = 'sent'`,
    [userId, since],
  );
  return rows[0]?.sent ?? 0;
}

export type NoticeFigures = { waiting: number; failing: number; givenUp: number; lastError: string | undefined };

/** @param since earlier failures do not count as given up */
export async function readNoticeFigures(query: Query, since: Date): Promise<NoticeFigures> {
  const { rows } = await query<{ waiting: number; failing: number; given_up: number; last_error: string | null }>(
    `select (select count(*) from notices where next_at is not null)::int as waiting,
       (select count(*) from notices where next_at is not null and error is not null)::int as failing,
       (select count(*) from notices where done_at > $1 and outcome = 'given_up')::int as given_up,
       (select error from notices where error is not null and (done_at is null or done_at > $1)
        order by coalesce(done_at, created_at) desc limit 1) as last_error`,
    [since],
  );
  const [row] = rows;
  return {
    waiting: row?.waiting ?? 0,
    failing: row?.failing ?? 0,
    givenUp: row?.given_up ?? 0,
    lastError: row?.last_error ?? undefined,
  };
}

export async function removeEnded(query: Query, before: Date): Promise<void> {
  await query('delete from notices where done_at < $1', [before]);
}
