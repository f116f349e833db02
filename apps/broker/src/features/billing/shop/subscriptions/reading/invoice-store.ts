import type { Query } from '#platform/db/database.ts';
import { readRow } from '../../../read-rows.ts';
import type { PaidInvoice, PaidLine } from './read-invoices.ts';
import type { ProviderSubscription } from './read-subscription.ts';

/** Lists the invoices of a subscription that are recorded with their payment and amount. */
export async function listRecordedInvoices(query: Query, providerSubscriptionId: string): Promise<ReadonlySet<string>> {
  const { rows } = await query<{ invoice_id: string }>(
    'select invoice_id from subscription_invoices where payment_id = $1 and amount is not null',
    [providerSubscriptionId],
  );
  return new Set(rows.map((row) => row.invoice_id));
}

/**
 * Records a paid invoice, with the plan of each of its lines.
 * @returns false where it is recorded already; an old row without an amount is completed
 */
export async function addInvoice(query: Query, providerSubscriptionId: string, invoice: PaidInvoice): Promise<boolean> {
  const { lines, covers, ...facts } = invoice;
  const row = await readRow<{ isNew: boolean }>(
    query,
    `insert into subscription_invoices as i
       (invoice_id, payment_id, payment_intent_id, recorded_at, amount, currency, covers_from, covers_to, tax, discount,
        change_id, balance_used)
     select p.id, $1, "paymentIntentId", "paidAt", amount, currency, "from", "to", tax, discount,
       (select id from plan_changes where id::text = "changeId"), "balanceUsed"
     from jsonb_to_record($2::jsonb) as p(id text, "paymentIntentId" text, "paidAt" timestamptz, amount bigint, currency text,
       "from" timestamptz, "to" timestamptz, tax bigint, discount bigint, "changeId" text, "balanceUsed" bigint)
     on conflict (invoice_id) do update set amount = excluded.amount, currency = excluded.currency,
       covers_from = excluded.covers_from, covers_to = excluded.covers_to where i.amount is null
     returning xmax = 0 as "isNew"`,
    [providerSubscriptionId, JSON.stringify({ ...facts, ...covers })],
  );
  await addLines(query, providerSubscriptionId, invoice.id, lines);
  return row?.isNew ?? false;
}

async function addLines(
  query: Query,
  providerSubscriptionId: string,
  id: string,
  lines: readonly PaidLine[],
): Promise<void> {
  await query(
    `insert into subscription_invoice_lines
       (invoice_id, line_id, payment_id, plan_id, price_id, amount, is_credit, is_proration, covers_from, covers_to)
     select $1, l.id, $2, l."planId", l."priceId", l.amount, l."isCredit", l."isProration", l."from", l."to"
     from jsonb_to_recordset($3::jsonb) as l(id text, "planId" text, "priceId" text, amount bigint, "isCredit" boolean,
       "isProration" boolean, "from" timestamptz, "to" timestamptz)
     on conflict (invoice_id, line_id) do nothing`,
    [id, providerSubscriptionId, JSON.stringify(lines.map(({ covers, ...line }) => ({ ...line, ...covers })))],
  );
}

/** Whether a line paid for the plan of a subscription, up to the end of its current period. Refunded payments do not count. */
export async function isRecordedAsPaid(
  query: Query,
  { id, offerId, periodEndsAt }: Pick<ProviderSubscription, 'id' | 'offerId' | 'periodEndsAt'>,
): Promise<boolean> {
  const { rows } = await query<{ found: boolean }>(
    `select exists (
       select from subscription_invoice_lines l join subscription_invoices i using (invoice_id)
       where l.payment_id = $1 and l.plan_id = $2 and l.covers_to = $3 and not l.is_credit and i.return_reason is null
     ) as found`,
    [id, offerId, periodEndsAt],
  );
  return rows[0]?.found ?? false;
}

/**
 * Marks the payments of a subscription that have to be refunded: those after its end, those for the time after an end for
 * non-payment, and those for changes of plan that were dropped.
 * @returns the invoices of all marked payments, and whether a refund is due
 */
export async function markOwed(
  query: Query,
  { id, endedAt, isEndedUnpaid }: Pick<ProviderSubscription, 'id' | 'endedAt' | 'isEndedUnpaid'>,
  at: Date,
): Promise<{ owed: ReadonlySet<string>; isDue: boolean }> {
  await query(
    `update subscription_invoices i set return_next_at = $4, return_reason = case
         when $2::timestamptz is not null and recorded_at > $2 then 'paid after the end'
         when $2::timestamptz is not null and $3 and covers_to > $2 then 'paid when it was ended as unpaid'
         else 'a change of plan that did not happen' end
     where payment_id = $1 and returned_at is null and return_reason is null and (amount > 0 or balance_used <> 0)
       and (change_id in (select id from plan_changes where payment_id = $1 and state = 'dropped')
         or ($2::timestamptz is not null and (recorded_at > $2 or ($3 and covers_to > $2))))`,
    [id, endedAt ?? null, isEndedUnpaid, at],
  );
  const { rows } = await query<{ invoice_id: string; is_due: boolean }>(
    `select invoice_id, coalesce(return_next_at <= $2, false) as is_due from subscription_invoices
     where payment_id = $1 and return_reason is not null`,
    [id, at],
  );
  return { owed: new Set(rows.map((row) => row.invoice_id)), isDue: rows.some((row) => row.is_due) };
}

/** A payment that has to be refunded. */
export type OwedInvoice = {
  invoiceId: string;
  providerSubscriptionId: string;
  paymentIntentId: string | undefined;
  balanceUsed: number;
  /** Minor units of money. */
  amount: number;
  reason: string;
  /** The provider has refused the refund before. */
  wasRefused: boolean;
};

/** Claims the next payment that is due to be refunded, until `nextAt`. @param of only payments for this subscription */
export function claimOwed(
  query: Query,
  { livemode, now, nextAt, of }: { livemode: boolean; now: Date; nextAt: Date; of?: string | undefined },
): Promise<OwedInvoice | undefined> {
  return readRow(
    query,
    `update subscription_invoices set return_next_at = $3 where invoice_id = (
       select invoice_id from subscription_invoices i
       where return_next_at <= $2 and ($4::text is null or payment_id = $4) and exists (
         select from subscriptions o where o.payment_id = i.payment_id and o.livemode = $1
         union all select from access_grants o where o.payment_id = i.payment_id and o.livemode = $1)
       order by return_next_at limit 1 for update skip locked)
     returning invoice_id as "invoiceId", payment_id as "providerSubscriptionId", payment_intent_id as "paymentIntentId",
       balance_used as "balanceUsed", coalesce(amount, 0) as amount, return_reason as reason,
       return_error is not null as "wasRefused"`,
    [livemode, now, nextAt, of ?? null],
  );
}

/** @returns false where another call has recorded it */
export async function recordReturned(query: Query, invoiceId: string, at: Date): Promise<boolean> {
  const { rows } = await query(
    `update subscription_invoices set returned_at = $2, return_next_at = null, return_left = 0
     where invoice_id = $1 and returned_at is null returning invoice_id`,
    [invoiceId, at],
  );
  return rows.length === 1;
}

/** Schedules a retry. @param refused why the provider refuses, and the missing minor units: an operator has to look */
export async function postponeReturn(
  query: Query,
  invoiceId: string,
  { nextAt, refused }: { nextAt: Date; refused?: { error: string; left: number } },
): Promise<void> {
  await query(
    `update subscription_invoices set return_next_at = $2, return_error = coalesce($3, return_error),
       return_left = coalesce($4, return_left)
     where invoice_id = $1 and returned_at is null`,
    [invoiceId, nextAt, refused?.error.slice(0, 1000) ?? null, refused?.left ?? null],
  );
}
