import type { Query } from '#platform/db/database.ts';
import { refundablePaymentsSql, refundSumSql } from './refundable-sql.ts';

export type RefundState = 'wanted' | 'refunded' | 'nothing_paid' | 'failed';
/** A part of a refund: of one payment at the provider. */
export type RefundPayment = {
  invoiceId: string;
  paymentIntentId: string;
  amount: number;
  /** Of the provider, once it is made. */
  refundId?: string;
  /** What the provider has refused of it. */
  missing?: number;
};
export type AccessRefund = {
  id: string;
  userId: string;
  /** The id of the plan or rental that was ended; of a refund of one payment its own. */
  accessId: string;
  /** The id of the provider's subscription; empty for a refund of one payment. */
  paymentId: string;
  /** The payment of the history that is refunded, where that is all it does. */
  transactionId: string | undefined;
  state: RefundState;
  /** Minor units: expected while it is wanted. */
  amount: number;
  currency: string;
  /** undefined: not decided yet. */
  payments: RefundPayment[] | undefined;
  attempts: number;
  /** Why it failed, or was not made yet. */
  error: string | undefined;
  /** When it was made, or failed. */
  doneAt: Date | undefined;
};

type Row = {
  id: string;
  user_id: string;
  access_id: string;
  payment_id: string;
  transaction_id: string | null;
  state: RefundState;
  amount: number;
  currency: string;
  payments: RefundPayment[] | null;
  attempts: number;
  error: string | null;
  done_at: Date | null;
};
const columns =
  'id, user_id, access_id, payment_id, transaction_id, state, amount, currency, payments, attempts, error, done_at';

const present = (row: Row): AccessRefund => ({
  id: row.id,
  userId: row.user_id,
  accessId: row.access_id,
  paymentId: row.payment_id,
  transactionId: row.transaction_id ?? undefined,
  state: row.state,
  amount: row.amount,
  currency: row.currency,
  payments: row.payments ?? undefined,
  attempts: row.attempts,
  error: row.error ?? undefined,
  doneAt: row.done_at ?? undefined,
});

export type WantedRefund = { id: string; userId: string; livemode: boolean; accessId: string; paymentId: string };

/** Notes refunds, in the transaction that ends what they are for. Others leave them alone until `nextAt`. */
export async function insertRefunds(
  query: Query,
  wanted: readonly WantedRefund[],
  { usedUntil, nextAt }: { usedUntil: Date; nextAt: Date },
): Promise<void> {
  await query(
    `insert into access_refunds (id, user_id, livemode, access_id, payment_id, used_until, amount, currency, next_at)
     select w.id, w."userId", w.livemode, w."accessId", w."paymentId", $2::timestamptz, coalesce(r.refund_amount, 0),
       coalesce(r.refund_currency, (select max(o.currency) from checkout_orders o where o.subscription_id = w."paymentId"), 'USD'),
       $3::timestamptz
     from jsonb_to_recordset($1::jsonb)
       as w(id uuid, "userId" uuid, livemode boolean, "accessId" uuid, "paymentId" text)
       left join lateral (${refundSumSql('w."paymentId"', '$2')}) r on true`,
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

/** Notes the refund of one payment, in the transaction that found that so much is left of it. */
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

export async function findRefunds(query: Query, accessIds: readonly string[]): Promise<AccessRefund[]> {
  const { rows } = await query<Row>(`select ${columns} from access_refunds where access_id = any($1::uuid[])`, [
    accessIds,
  ]);
  return rows.map(present);
}

/** Takes the next refund that is due; others leave it alone until `nextAt`. */
export async function takeDue(
  query: Query,
  livemode: boolean,
  now: Date,
  nextAt: Date,
): Promise<AccessRefund | undefined> {
  const { rows } = await query<Row>(
    `update access_refunds set next_at = $3 where id = (
       select id from access_refunds where livemode = $1 and next_at <= $2 order by next_at limit 1 for update skip locked)
     returning ${columns}`,
    [livemode, now, nextAt],
  );
  return rows[0] && present(rows[0]);
}

/** Decides once which payments are paid back, by what is known of them now. Answers what was decided, also before. */
export async function decidePayments(query: Query, id: string): Promise<RefundPayment[]> {
  const { rows: decided } = await query<{ payments: RefundPayment[] | null; payment_id: string; used_until: Date }>(
    'select payments, payment_id, used_until from access_refunds where id = $1 for update',
    [id],
  );
  const [refund] = decided;
  if (!refund) throw new Error(`there is no refund ${id}`);
  if (refund.payments) return refund.payments;
  const { rows } = await query<{ invoice_id: string; payment_intent_id: string; amount: number; disputed: boolean }>(
    refundablePaymentsSql('$1', '$2'),
    [refund.payment_id, refund.used_until],
  );
  // the provider refuses a disputed one, which must not keep the others; where all are, its refusal is told
  const undisputed = rows.filter(({ disputed }) => !disputed);
  const payments = (undisputed.length > 0 ? undisputed : rows).map((row) => ({
    invoiceId: row.invoice_id,
    paymentIntentId: row.payment_intent_id,
    amount: row.amount,
  }));
  await writePayments(query, id, payments);
  return payments;
}

/** Writes which payments a wanted refund pays back; its amount is their sum. */
export async function writePayments(query: Query, id: string, payments: readonly RefundPayment[]): Promise<void> {
  const amount = payments.reduce((sum, one) => sum + one.amount, 0);
  await query(
    `update access_refunds set payments = $2::jsonb, amount = $3 where id = $1 and state in ('wanted', 'failed')`,
    [id, JSON.stringify(payments), amount],
  );
}

/**
 * @param outcome.nextAt when one that failed is tried again
 * @returns its amount; undefined where it had ended so before
 */
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

/** It did not work out: it is tried again at `nextAt`; undefined: no more. */
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

/** Whether a subscription is over at the provider, and all its payments until then are recorded. */
export async function isOver(query: Query, paymentId: string): Promise<boolean> {
  const { rows } = await query<{ is_over: boolean }>('select is_over from subscription_syncs where payment_id = $1', [
    paymentId,
  ]);
  return rows[0]?.is_over ?? false;
}
