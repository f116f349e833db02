import type { PersonPayment } from '@souk/contract/admin/person.ts';
import { writeCursor, type Place } from '@souk/contract/times.ts';
import type { Query } from '#platform/db/database.ts';
import { presentTransaction, transactionColumns, type TransactionRow } from '../shop/history/transaction-row.ts';
import { disputeSql, keepsMoney, presentDispute } from '../shop/needs/dispute-of-payment.ts';
import { refundedSql } from '../shop/refunds/refunded-sql.ts';

export type FoundPayment = {
  payment: PersonPayment;
  /** The provider's own id, which no screen shows. */
  paymentIntentId: string | undefined;
  invoiceId: string | undefined;
};

type Row = TransactionRow & {
  payment_intent_id: string | null;
  invoice_id: string | null;
  refunded: number;
  pending: number;
};

const columns = `${transactionColumns}, t.payment_intent_id, t.invoice_id, g.refunded, g.pending`;

/** Reads a page of a user's payments and refunds, newest first. @param ofPayment only this payment and its refunds */
export async function readPayments(
  query: Query,
  { userId, livemode, ofPayment }: { userId: string; livemode: boolean; ofPayment?: string | undefined },
  { limit, cursor }: { limit: number; cursor?: Place | undefined },
): Promise<{ payments: FoundPayment[]; nextCursor: string | null }> {
  const { rows } = await query<Row>(
    `select ${columns} from (
       select * from transactions where user_id = $1 and livemode = $2
         and ($3::timestamptz is null or (created_at, id) < ($3::timestamptz, $4::uuid))
         and ($5::text is null or id::text = $5 or payment_intent_id = (
           select payment_intent_id from transactions where user_id = $1 and livemode = $2 and id::text = $5))
       order by created_at desc, id desc limit $6) t
     cross join lateral (${refundedSql}) g left join lateral (${disputeSql}) d on true
     order by t.created_at desc, t.id desc`,
    [userId, livemode, cursor?.at ?? null, cursor?.id ?? null, ofPayment ?? null, limit + 1],
  );
  const page = rows.slice(0, limit);
  const last = page.at(-1);
  return {
    payments: page.map(present),
    nextCursor: rows.length > limit && last ? writeCursor({ at: last.created_at, id: last.id }) : null,
  };
}

/** Finds a payment of a user. @param lock locks it until the end of the transaction, as an event about its refund does */
export async function findPersonPayment(
  query: Query,
  of: { userId: string; livemode: boolean; paymentId: string },
  { lock = false } = {},
): Promise<FoundPayment | undefined> {
  const values = [of.userId, of.livemode, of.paymentId];
  if (lock)
    await query(`select from transactions where user_id = $1 and livemode = $2 and id::text = $3 for update`, values);
  const { rows } = await query<Row>(
    `select ${columns} from transactions t cross join lateral (${refundedSql}) g
       left join lateral (${disputeSql}) d on true
     where t.user_id = $1 and t.livemode = $2 and t.id::text = $3`,
    values,
  );
  return rows[0] && present(rows[0]);
}

function present(row: Row): FoundPayment {
  return {
    payment: { ...presentTransaction(row), refund: refundOf(row), dispute: presentDispute(row) },
    paymentIntentId: row.payment_intent_id ?? undefined,
    invoiceId: row.invoice_id ?? undefined,
  };
}

/** Only completed payments can be refunded. */
function refundOf(row: Row): PersonPayment['refund'] {
  const { type, status, amount, refunded, pending } = row;
  const isPaid = status === 'completed' || status === 'refunded';
  if (type === 'refund' || row.payment_intent_id === null || amount === 0 || !isPaid) return null;
  const leftCents = keepsMoney(presentDispute(row)) ? 0 : Math.max(0, amount - refunded - pending);
  return { refundedCents: refunded, pendingCents: pending, leftCents };
}
