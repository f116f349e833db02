import type { Needs } from '@souk/contract/admin/overview.ts';
import { shownNeeds } from '@souk/contract/admin/overview.ts';
import type { Query } from '#platform/db/database.ts';
import { refundFailedForMs } from '../refunds/refund-store.ts';

const dayMs = 24 * 60 * 60_000;
/** What a reconciler repaired is told of for so long. */
const foundForMs = 7 * dayMs;

type BillingNeeds = Pick<
  Needs,
  'failedRenewals' | 'disputes' | 'failingEvents' | 'flaggedOrders' | 'failedRefunds' | 'foundPayments' | 'ledgerFaults'
>;

/** Runs a statement whose rows each have the number of all in `total`. */
async function list<Row extends object, Item>(
  query: Query,
  text: string,
  values: readonly unknown[],
  present: (row: Row) => Item,
): Promise<{ total: number; items: Item[] }> {
  const { rows } = await query<Row & { total: number }>(
    `select counted.total, shown.* from (select count(*)::int as total from (${text}) every) counted
       cross join lateral (${text} limit ${shownNeeds}) shown`,
    values,
  );
  return { total: rows[0]?.total ?? 0, items: rows.map(present) };
}

const iso = (at: Date | null) => at?.toISOString() ?? null;

/** What of the shop's money waits for an operator, by indexes of just those rows. */
export async function readBillingNeeds(
  query: Query,
  { livemode, nowMs }: { livemode: boolean; nowMs: number },
): Promise<BillingNeeds> {
  const [failedRenewals, disputes, failingEvents, flaggedOrders, failedRefunds, foundPayments, ledgerFaults] =
    await Promise.all([
      list<Person & { what: string; is_plan: boolean; since: Date | null }, BillingNeeds['failedRenewals']['items'][0]>(
        query,
        `select owed.*, u.email from (
         select s.user_id, p.name as what, true as is_plan, s.past_due_since as since
         from subscriptions s join plans p using (plan_id) where s.livemode = $1 and s.past_due and s.ended_at is null
         union all
         select user_id, server_id, false, past_due_since from access_grants
         where livemode = $1 and past_due and ended_at is null) owed
         left join users u on u.id = owed.user_id and u.deleted_at is null
       order by since nulls first, owed.user_id`,
        [livemode],
        (row) => ({ ...personOf(row), kind: row.is_plan ? 'plan' : 'rental', what: row.what, since: iso(row.since) }),
      ),
      list<Person & DisputeRow, BillingNeeds['disputes']['items'][0]>(
        query,
        `select d.*, u.email from disputes d left join users u on u.id = d.user_id and u.deleted_at is null
       where d.livemode = $1 and d.status in ('needs_response', 'warning_needs_response') order by d.due_by, d.id`,
        [livemode],
        (row) => ({
          ...personOf(row),
          id: row.id,
          description: row.description,
          reason: row.reason,
          amountCents: row.amount,
          currency: row.currency,
          dueBy: iso(row.due_by),
        }),
      ),
      list<EventRow, BillingNeeds['failingEvents']['items'][0]>(
        query,
        `select id, type, attempts, received_at, next_at, error from payment_events
       where next_at is not null and error is not null order by received_at`,
        [],
        (row) => ({
          id: row.id,
          type: row.type,
          attempts: row.attempts,
          receivedAt: row.received_at.toISOString(),
          nextAt: row.next_at.toISOString(),
          error: row.error,
        }),
      ),
      list<Person & OrderRow, BillingNeeds['flaggedOrders']['items'][0]>(
        query,
        `select o.id, o.user_id, o.description, concat_ws('; ', o.reason, o.trouble) as reason, o.amount, o.currency, o.decided_at, u.email from checkout_orders o
         left join users u on u.id = o.user_id and u.deleted_at is null
       where o.livemode = $1 and o.status = 'flagged' order by o.decided_at, o.id`,
        [livemode],
        (row) => ({
          ...personOf(row),
          orderId: row.id,
          description: row.description,
          reason: row.reason,
          amountCents: row.amount,
          currency: row.currency,
          since: iso(row.decided_at),
        }),
      ),
      list<Person & FailedRefundRow, BillingNeeds['failedRefunds']['items'][0]>(
        query,
        failedRefundsSql,
        [livemode, new Date(nowMs - refundFailedForMs)],
        (row) => ({
          ...personOf(row),
          refundId: row.id,
          description: row.description,
          amountCents: row.amount,
          currency: row.currency,
          reason: row.error,
          since: iso(row.done_at),
        }),
      ),
      list<Person & { subject: string; action: string; at: Date }, BillingNeeds['foundPayments']['items'][0]>(
        query,
        `select f.subject, f.action, f.at, o.user_id, u.email from audit_log f
         left join lateral (
           select user_id from checkout_orders where id::text = f.subject and f.action = 'payment.found-by-reconciler'
           union all select user_id from subscriptions where payment_id = f.subject
           union all select user_id from access_grants where payment_id = f.subject limit 1) o on true
         left join users u on u.id = o.user_id and u.deleted_at is null
       where f.action in ('payment.found-by-reconciler', 'subscription.found-by-reconciler') and f.at > $1
       order by f.at desc`,
        [new Date(nowMs - foundForMs)],
        (row) => ({
          ...personOf(row),
          kind: row.action === 'payment.found-by-reconciler' ? 'payment' : 'subscription',
          subject: row.subject,
          at: row.at.toISOString(),
        }),
      ),
      readLedgerFaults(query),
    ]);
  return { failedRenewals, disputes, failingEvents, flaggedOrders, failedRefunds, foundPayments, ledgerFaults };
}

/**
 * Refunds that the provider refused, or its bank did not carry out, with what is still missing of them: what went back since counts. A
 * dispute that is lost is in the history as a refund too, and the history has whole seconds. So are payments for what had ended.
 */
const failedRefundsSql = `
  select owed.*, u.email from (
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

type Person = { user_id: string | null; email: string | null };
type DisputeRow = {
  id: string;
  description: string | null;
  reason: string;
  amount: number;
  currency: string;
  due_by: Date | null;
};
type EventRow = { id: string; type: string; attempts: number; received_at: Date; next_at: Date; error: string };
type FailedRefundRow = {
  id: string;
  description: string | null;
  amount: number;
  currency: string;
  error: string | null;
  done_at: Date;
};
type OrderRow = {
  id: string;
  description: string;
  reason: string | null;
  amount: number;
  currency: string;
  decided_at: Date | null;
};

const personOf = ({ user_id: userId, email }: Person) => ({ userId, email });

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
