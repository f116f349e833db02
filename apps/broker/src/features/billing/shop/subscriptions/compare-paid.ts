import type { Query } from '#platform/db/database.ts';
import { readRows } from '../../read-rows.ts';

/** A paid plan that the user does not have, or missing credits of a paid month. */
export type PaidDifference = { providerSubscriptionId: string; userId: string; paid: string; given: string };

const maxDifferences = 100;

/**
 * Compares what users have paid for with what they have, line by line: the plan of the newest line that covers this moment with
 * the plan of the subscription, and each month's credits with the grant of its invoice. Refunded payments do not count. The
 * provider's times are in seconds: within one second, the number of a change decides which line is newer.
 */
export function comparePaid(query: Query, livemode: boolean, now: Date): Promise<PaidDifference[]> {
  return readRows(
    query,
    `with paying as (
       select l.*, i.recorded_at, c.number as change_number
       from subscription_invoice_lines l join subscription_invoices i using (invoice_id) left join plan_changes c on c.id = i.change_id
       where i.return_reason is null and not l.is_credit and l.plan_id is not null and l.covers_from <= $2 and l.covers_to > $2),
     plans_paid as (
       select distinct on (payment_id) payment_id, plan_id from paying
       order by payment_id, covers_from desc, recorded_at desc, change_number desc nulls last),
     running as (
       select * from subscriptions where livemode = $1 and source = 'payment' and ended_at is null and not past_due)
     select r.payment_id as "providerSubscriptionId", r.user_id as "userId", p.plan_id as paid, r.plan_id as given
     from running r join plans_paid p using (payment_id) where p.plan_id <> r.plan_id
     union all
     select r.payment_id, r.user_id, c.monthly_credits || ' credits', 'none'
     from running r join paying p using (payment_id) join plan_prices c on c.price_id = p.price_id
     where not p.is_proration and c.monthly_credits > 0
       and not exists (select from credit_lots t where t.idem = 'invoice:' || p.invoice_id)
     limit $3`,
    [livemode, now, maxDifferences],
  );
}

/** Counts the customers with a balance at the provider, and sums the balances by currency: credits, and amounts owed. */
export async function countBalances(
  query: Query,
  livemode: boolean,
): Promise<{ currency: string; customers: number; credit: number; owed: number }[]> {
  const { rows } = await query<{ currency: string; customers: number; credit: number; owed: number }>(
    `select coalesce(balance_currency, '') as currency, count(*)::int as customers,
       coalesce(-sum(balance) filter (where balance < 0), 0)::bigint as credit,
       coalesce(sum(balance) filter (where balance > 0), 0)::bigint as owed
     from payment_customers where livemode = $1 and balance <> 0 group by 1 order by 1`,
    [livemode],
  );
  return rows;
}
