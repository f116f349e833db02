import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../read-rows.ts';
import type { PaymentEvent } from './payment-event.ts';

/** An event that a worker has claimed. `attempts`: number of this attempt, from 1. */
export type ClaimedEvent = PaymentEvent & { attempts: number };

/** Stores an event once; it is due immediately. */
export async function storeEvent(query: Query, { id, type, objectId }: PaymentEvent, at: Date): Promise<void> {
  await query(
    `insert into payment_events (id, type, object_id, received_at, next_at) values ($1, $2, $3, $4, $4)
     on conflict (id) do nothing`,
    [id, type, objectId, at],
  );
}

/**
 * Claims the next event that is due, until `until`: then an event of a process that was killed is due again. The inner select
 * stands behind `=`, not `in`, so that PostgreSQL runs it once and claims no second event.
 */
export function claimEvent(query: Query, now: Date, until: Date): Promise<ClaimedEvent | undefined> {
  return readRow(
    query,
    `update payment_events set attempts = attempts + 1, next_at = $2
     where id = (select id from payment_events where next_at <= $1 order by next_at limit 1 for update skip locked)
     returning id, type, object_id as "objectId", attempts`,
    [now, until],
  );
}

export async function markDone(query: Query, id: string, at: Date): Promise<void> {
  await query('update payment_events set next_at = null, done_at = $2, error = null where id = $1', [id, at]);
}

export async function markFailed(query: Query, id: string, nextAt: Date, error: string): Promise<void> {
  await query('update payment_events set next_at = $2, error = $3 where id = $1 and done_at is null', [
    id,
    nextAt,
    error.slice(0, 500),
  ]);
}

/** When the next event is due; undefined where none is waiting. */
export async function nextDue(query: Query): Promise<Date | undefined> {
  const row = await readRow<{ at: Date | undefined }>(
    query,
    'select min(next_at) as at from payment_events where next_at is not null',
  );
  return row?.at;
}

/** Deletes events that were handled before this time. The provider resends none that old. */
export async function removeDone(query: Query, before: Date): Promise<void> {
  await query('delete from payment_events where done_at < $1', [before]);
}
