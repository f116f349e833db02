import type { Query } from '#platform/db/database.ts';
import type { PaymentEvent } from './payment-event.ts';

/** An event that a worker has taken, for the so-and-so-manieth time. */
export type TakenEvent = PaymentEvent & { attempts: number };

type EventRow = { id: string; type: string; object_id: string; attempts: number };

/** Stores an event once; it is due at once. */
export async function storeEvent(query: Query, { id, type, objectId }: PaymentEvent, at: Date): Promise<void> {
  await query(
    `insert into payment_events (id, type, object_id, received_at, next_at) values ($1, $2, $3, $4, $4)
     on conflict (id) do nothing`,
    [id, type, objectId, at],
  );
}

/**
 * Takes the next event that is due. No other process takes it until `until`, and one of a process that was killed comes back then.
 * The inner select stands behind `=`, not `in`: so PostgreSQL runs it once, and takes no second event that nobody works on.
 */
export async function takeEvent(query: Query, now: Date, until: Date): Promise<TakenEvent | undefined> {
  const { rows } = await query<EventRow>(
    `update payment_events set attempts = attempts + 1, next_at = $2
     where id = (select id from payment_events where next_at <= $1 order by next_at limit 1 for update skip locked)
     returning id, type, object_id, attempts`,
    [now, until],
  );
  const [row] = rows;
  return row && { id: row.id, type: row.type, objectId: row.object_id, attempts: row.attempts };
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

/** When the next event is due; undefined: none waits. */
export async function nextDue(query: Query): Promise<Date | undefined> {
  const { rows } = await query<{ at: Date | null }>(
    'select min(next_at) as at from payment_events where next_at is not null',
  );
  return rows[0]?.at ?? undefined;
}

/** Forgets what was done before this time. The provider sends nothing that old again. */
export async function removeDone(query: Query, before: Date): Promise<void> {
  await query('delete from payment_events where done_at < $1', [before]);
}
