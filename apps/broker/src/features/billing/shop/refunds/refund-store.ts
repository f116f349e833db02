import type { Query } from '#platform/db/database.ts';
import { readRow, readRows } from '../../read-rows.ts';
import { refundablePaymentsSql, refundSumSql } from './refundable-sql.ts';

/** How long a refused refund is retried and shown to administrators. */
export const refundFailedForMs = 90 * 24 * 60 * 60_000;

export type RefundState = 'wanted' | 'refunded' | 'nothing_paid' | 'failed';
/** The part of a refund that goes to one payment at the provider. */
export type RefundPayment = {
  invoiceId: string;
  paymentIntentId: string;
  amount: number;
  refundId?: string;
  /** Minor units that the provider has refused. */
  missing?: number;
};
export type AccessRefund = {
  id: string;
  userId: string;
  /** The plan or rental that was ended; for a refund of one payment, its own id. */
  accessId: string;
  /** The provider's subscription; empty for a refund of one payment. */
  providerSubscriptionId: string;
  /** The payment of the history, for a refund of one payment. */
  transactionId: string | undefined;
  state: RefundState;
  /** Minor units; an estimate while it is `wanted`. */
  amount: number;
  currency: string;
  /** undefined: not decided yet. */
  payments: RefundPayment[] | undefined;
  attempts: number;
  error: string | undefined;
  doneAt: Date | undefined;
};

const columns = `id, user_id as "userId", access_id as "accessId", payment_id as "providerSubscriptionId",
  transaction_id as "transactionId", state, amount, currency, payments, attempts, error, done_at as "doneAt"`;

export type WantedRefund = {
  id: string;
  userId: string;
  livemode: boolean;
  accessId: string;
  providerSubscriptionId: string;
};

/** Stores refunds, in the transaction that ends what they are for. Other brokers do not take them before `nextAt`. */
export async function insertRefunds(
  query: Query,
  wanted: readonly WantedRefund[],
  { usedUntil, nextAt }: { usedUntil: Date; nextAt: Date },
): Promise<void> {
  await query(
    `insert into access_refunds (id, user_id, livemode, access_id, payment_id, used_until, amount, currency, next_at)
     select w.id, w."userId", w.livemode, w."accessId", w."providerSubscriptionId", $2::timestamptz, coalesce(r.refund_amount, 0),
       coalesce(r.refund_currency, (select max(o.currency) from checkout_orders o where o.subscription_id = w."providerSubscriptionId"), 'USD'),
       $3::timestamptz
     from jsonb_to_recordset($1::jsonb)
       as w(id uuid, "userId" uuid, livemode boolean, "accessId" uuid, "providerSubscriptionId" text)
       left join lateral (${refundSumSql('w."providerSubscriptionId"', '$2')}) r on true`,
    [JSON.stringify(wanted), usedUntil, nextAt],
  );
}

export type WantedPaymentRefund = {
  id: string;
  userId: string;
  livemode: boolean;
  transactionId: string;
  currency: string;
  payment: RefundPayment;
};

/** Stores the refund of one payment, in the transaction that found how much of it is left. */
export async function insertPaymentRefund(
  query: Query,
  { id, userId, livemode, transactionId, currency, payment }: WantedPaymentRefund,
  { at, nextAt }: { at: Date; nextAt: Date },
): Promise<void> {
  await query(
    `insert into access_refunds
       (id, user_id, livemode, access_id, payment_id, transaction_id, used_until, amount, currency, payments, next_at)
     values ($1, $2, $3, $1, '', $4, $5, $6, $7, $8::jsonb, $9)`,
    [id, userId, livemode, transactionId, at, payment.amount, currency, JSON.stringify([payment]), nextAt],
  );
}

export function findRefunds(query: Query, accessIds: readonly string[]): Promise<AccessRefund[]> {
  return readRows(query, `select ${columns} from access_refunds where access_id = any($1::uuid[])`, [accessIds]);
}

/** Claims the next refund that is due until `nextAt`. */
export function claimDue(query: Query, livemode: boolean, now: Date, nextAt: Date): Promise<AccessRefund | undefined> {
  return readRow(
    query,
    `update access_refunds set next_at = $3 where id = (
       select id from access_refunds where livemode = $1 and next_at <= $2 order by next_at limit 1 for update skip locked)
     returning ${columns}`,
    [livemode, now, nextAt],
  );
}

/**
 * Decides once which payments are refunded, by what is known of them now. Returns the decision, or the earlier one if there is
 * one.
 */
export async function decidePayments(query: Query, id: string): Promise<RefundPayment[]> {
  const refund = await readRow<{
    payments: RefundPayment[] | undefined;
    providerSubscriptionId: string;
    usedUntil: Date;
  }>(
    query,
    `select payments, payment_id as "providerSubscriptionId", used_until as "usedUntil" from access_refunds where id = $1 for update`,
    [id],
  );
  if (!refund) throw new Error(`there is no refund ${id}`);
  if (refund.payments) return refund.payments;
  const refundable = await readRows<RefundPayment & { disputed: boolean }>(query, refundablePaymentsSql('$1', '$2'), [
    refund.providerSubscriptionId,
    refund.usedUntil,
  ]);
  // the provider refuses disputed payments, which must not block the others; if all are disputed, its refusal is reported
  const undisputed = refundable.filter(({ disputed }) => !disputed);
  const payments = (undisputed.length > 0 ? undisputed : refundable).map(({ invoiceId, paymentIntentId, amount }) => ({
    invoiceId,
    paymentIntentId,
    amount,
  }));
  await writePayments(query, id, payments);
  return payments;
}

/** Stores the payments of a refund; its amount is their sum. */
export async function writePayments(query: Query, id: string, payments: readonly RefundPayment[]): Promise<void> {
  const amount = payments.reduce((sum, one) => sum + one.amount, 0);
  await query(
    `update access_refunds set payments = $2::jsonb, amount = $3 where id = $1 and state in ('wanted', 'failed')`,
    [id, JSON.stringify(payments), amount],
  );
}

/** @param outcome.nextAt when a failed refund is retried @returns its amount; undefined where it had this state already */
export async function endRefund(
  query: Query,
  id: string,
  { state, at, error, nextAt }: { state: Exclude<RefundState, 'wanted'>; at: Date; error?: string; nextAt?: Date },
): Promise<number | undefined> {
  const { rows } = await query<{ amount: number }>(
    `update access_refunds set state = $2, done_at = $3, error = $4, next_at = $5
     where id = $1 and state in ('wanted', 'failed') and state <> $2 returning amount`,
    [id, state, at, error ?? null, nextAt ?? null],
  );
  return rows[0]?.amount;
}

/** Schedules the next attempt of a refund. @param outcome.nextAt undefined: no more attempts */
export async function postponeRefund(
  query: Query,
  id: string,
  { nextAt, error }: { nextAt: Date | undefined; error: string },
): Promise<void> {
  await query(
    `update access_refunds set attempts = attempts + 1, next_at = $2, error = $3
     where id = $1 and (state = 'failed' or (state = 'wanted' and $2::timestamptz is not null))`,
    [id, nextAt ?? null, error.slice(0, 1000)],
  );
}

/** Whether a subscription is over at the provider, and all its payments are recorded. */
export async function isOver(query: Query, providerSubscriptionId: string): Promise<boolean> {
  const { rows } = await query<{ is_over: boolean }>('select is_over from subscription_syncs where payment_id = $1', [
    providerSubscriptionId,
  ]);
  return rows[0]?.is_over ?? false;
}
