import type { Needs } from '@souk/contract/admin/overview.ts';
import { shownNeeds } from '@souk/contract/admin/overview.ts';
import type { Query } from '#platform/db/database.ts';
import { refundFailedForMs } from '../refunds/refund-store.ts';

const dayMs = 24 * 60 * 60_000;
/** How long a repair by a reconciler is shown. */
const foundForMs = 7 * dayMs;

type BillingNeeds = Pick<
  Needs,
  'failedRenewals' | 'disputes' | 'failingEvents' | 'flaggedOrders' | 'failedRefunds' | 'foundPayments' | 'ledgerFaults'
>;
type Need<Name extends keyof BillingNeeds> = BillingNeeds[Name]['items'][0];

/** Reads the payments, renewals, refunds and events that need an operator. Partial indexes have just those rows. */
export async function readBillingNeeds(
  query: Query,
  { livemode, nowMs }: { livemode: boolean; nowMs: number },
): Promise<BillingNeeds> {
  const [failedRenewals, disputes, failingEvents, flaggedOrders, failedRefunds, foundPayments, ledgerFaults] =
    await Promise.all([
      list<Need<'failedRenewals'>>(query, failedRenewalsSql, [livemode], ['since']),
      list<Need<'disputes'>>(query, disputesSql, [livemode], ['dueBy']),
      list<Need<'failingEvents'>>(query, failingEventsSql, [], ['receivedAt', 'nextAt']),
      list<Need<'flaggedOrders'>>(query, flaggedOrdersSql, [livemode], ['since']),
      list<Need<'failedRefunds'>>(query, failedRefundsSql, [livemode, new Date(nowMs - refundFailedForMs)], ['since']),
      list<Need<'foundPayments'>>(query, foundPaymentsSql, [new Date(nowMs - foundForMs)], ['at']),
      readLedgerFaults(query),
    ]);
  return { failedRenewals, disputes, failingEvents, flaggedOrders, failedRefunds, foundPayments, ledgerFaults };
}

/** Runs a statement whose columns are named as in `Item`. @param dates columns that are converted to ISO texts */
async function list<Item extends object>(
  query: Query,
  text: string,
  values: readonly unknown[],
  dates: readonly (keyof Item & string)[],
): Promise<{ total: number; items: Item[] }> {
  const { rows } = await query<{ total: number; item: Item }>(
    `select counted.total, to_jsonb(shown) as item from (select count(*)::int as total from (${text}) every) counted
       cross join lateral (${text} limit ${shownNeeds}) shown`,
    values,
  );
  const items = rows.map(({ item }) => item);
  for (const item of items)
    for (const name of dates) {
      const at = item[name];
      if (typeof at === 'string') Reflect.set(item, name, new Date(at).toISOString());
    }
  return { total: rows[0]?.total ?? 0, items };
}

const failedRenewalsSql = `
  select owed.user_id as "userId", u.email, owed.kind, owed.what, owed.since from (
    select s.user_id, p.name as what, 'plan' as kind, s.past_due_since as since
    from subscriptions s join plans p using (plan_id) where s.livemode = $1 and s.past_due and s.ended_at is null
    union all
    select user_id, server_id, 'rental', past_due_since from access_grants
    where livemode = $1 and past_due and ended_at is null) owed
    left join users u on u.id = owed.user_id and u.deleted_at is null
  order by owed.since nulls first, owed.user_id`;

const disputesSql = `
  select d.user_id as "userId", u.email, d.id, d.description, d.reason, d.amount as "amountCents", d.currency, d.due_by as "dueBy"
  from disputes d left join users u on u.id = d.user_id and u.deleted_at is null
  where d.livemode = $1 and d.status in ('needs_response', 'warning_needs_response') order by d.due_by, d.id`;

const failingEventsSql = `
  select id, type, attempts, received_at as "receivedAt", next_at as "nextAt", error from payment_events
  where next_at is not null and error is not null order by received_at`;

const flaggedOrdersSql = `
  select o.user_id as "userId", u.email, o.id as "orderId", o.description, concat_ws('; ', o.reason, o.trouble) as reason,
    o.amount as "amountCents", o.currency, o.decided_at as since
  from checkout_orders o left join users u on u.id = o.user_id and u.deleted_at is null
  where o.livemode = $1 and o.status = 'flagged' order by o.decided_at, o.id`;

const foundPaymentsSql = `
  select o.user_id as "userId", u.email, f.subject, f.at,
    case f.action when 'payment.found-by-reconciler' then 'payment' else 'subscription' end as kind
  from audit_log f
    left join lateral (
      select user_id from checkout_orders where id::text = f.subject and f.action = 'payment.found-by-reconciler'
      union all select user_id from subscriptions where payment_id = f.subject
      union all select user_id from access_grants where payment_id = f.subject limit 1) o on true
    left join users u on u.id = o.user_id and u.deleted_at is null
  where f.action in ('payment.found-by-reconciler', 'subscription.found-by-reconciler') and f.at > $1
  order by f.at desc`;

/**
 * Refunds that the provider refused or the bank did not carry out, with the amount that is still missing: later refunds reduce
 * it. The history has lost disputes as refunds too, and times in whole seconds. Also payments for ended subscriptions that
 * could not be refunded.
 */
const failedRefundsSql = `
  select owed.user_id as "userId", u.email, owed.id as "refundId", owed.description, owed.amount as "amountCents", owed.currency,
    owed.error as reason, owed.done_at as since from (
    select a.id::text as id, a.user_id, a.currency, a.error, a.done_at, left_over.amount, left_over.description
    from access_refunds a
      cross join lateral (
        select sum(greatest(0, coalesce((p->>'missing')::bigint, (p->>'amount')::bigint) - since.amount))::bigint as amount,
          min(t.description) as description
        from jsonb_array_elements(a.payments) p
          left join transactions t on t.payment_intent_id = p->>'paymentIntentId' and t.type <> 'refund'
          cross join lateral (
            select coalesce(sum(r.amount), 0)::bigint as amount from transactions r
            where r.payment_intent_id = p->>'paymentIntentId' and r.type = 'refund' and r.status = 'completed'
              and r.created_at >= date_trunc('second', a.done_at)) since
        where (p->>'amount')::bigint > 0
          and (p ? 'missing' or not p ? 'refundId' or exists (
            select from transactions f where f.idem = 'refund:' || (p->>'refundId') and f.status = 'failed'))
      ) left_over
    where a.livemode = $1 and a.state = 'failed' and a.done_at > $2 and left_over.amount > 0
    union all
    select i.invoice_id, o.user_id, i.currency, i.return_error, i.recorded_at, coalesce(i.return_left, i.amount), t.description
    from subscription_invoices i
      join (select payment_id, user_id, livemode from subscriptions union all select payment_id, user_id, livemode from access_grants) o
        on o.payment_id = i.payment_id and o.livemode = $1
      left join transactions t on t.invoice_id = i.invoice_id and t.type <> 'refund'
    where i.return_error is not null and i.returned_at is null) owed
  left join users u on u.id = owed.user_id and u.deleted_at is null
  order by owed.done_at, owed.id`;

async function readLedgerFaults(query: Query): Promise<BillingNeeds['ledgerFaults']> {
  const { rows } = await query<{ checked_at: Date; faults: { userId: string; fault: string }[]; total: number }>(
    `select checked_at, faults, jsonb_array_length(faults) as total from ledger_checks`,
  );
  const [row] = rows;
  return {
    checkedAt: row?.checked_at.toISOString() ?? null,
    total: row?.total ?? 0,
    items: (row?.faults ?? []).slice(0, shownNeeds).map(({ userId, fault }) => ({ userId, fault })),
  };
}
