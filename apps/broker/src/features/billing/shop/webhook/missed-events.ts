import type { Query } from '#platform/db/database.ts';

/** Events come within minutes; a payment that was found first by asking the provider is no sign yet. */
const lateness = '1 hour';
/** Each subscription is renewed at least once in so long, and a renewal is told. */
const longestPeriod = '35 days';

/**
 * Whether something has happened since that the payment provider tells an event of: an order came to its end, or a period did. A
 * shop that sells little is silent for days without a fault.
 * @param since the last event
 */
export async function isEventMissed(query: Query, livemode: boolean, since: Date, now: Date): Promise<boolean> {
  const paying = (table: string) =>
    `exists (select from ${table} where livemode = $1 and payment_id is not null and ended_at is null
       and (period_ends_at between $2 and $3::timestamptz - interval '${lateness}'
         or $2 < $3::timestamptz - interval '${longestPeriod}'))`;
  const { rows } = await query<{ isMissed: boolean }>(
    `select exists (
       select from checkout_orders
       where livemode = $1 and session_id is not null and decided_at > $2::timestamptz + interval '${lateness}'
     ) or ${paying('subscriptions')} or ${paying('access_grants')} as "isMissed"`,
    [livemode, since, now],
  );
  return rows[0]?.isMissed ?? false;
}
