import type { Query } from '#platform/db/database.ts';

/**
 * Time that an event may be late: events arrive within minutes, and a request to the provider may find a payment before its
 * event.
 */
const lateBy = '1 hour';
/** Each subscription renews at least once in this time, which is an event. */
const longestPeriod = '35 days';

/**
 * Whether an event of the payment provider is overdue: an order or a period has ended since the last one. Without such an end a
 * small shop may be silent for days.
 * @param since time of the last event
 */
export async function isEventMissed(query: Query, livemode: boolean, since: Date, now: Date): Promise<boolean> {
  const paying = (table: string) =>
    `exists (select from ${table} where livemode = $1 and payment_id is not null and ended_at is null
       and (period_ends_at between $2 and $3::timestamptz - interval '${lateBy}'
         or $2 < $3::timestamptz - interval '${longestPeriod}'))`;
  const { rows } = await query<{ isMissed: boolean }>(
    `select exists (
       select from checkout_orders
       where livemode = $1 and session_id is not null and decided_at > $2::timestamptz + interval '${lateBy}'
     ) or ${paying('subscriptions')} or ${paying('access_grants')} as "isMissed"`,
    [livemode, since, now],
  );
  return rows[0]?.isMissed ?? false;
}
