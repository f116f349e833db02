import type { Query } from '#platform/db/database.ts';
import type { TransactionStatus, TransactionType } from '@souk/contract/billing/billing-history.ts';

/** What was paid or given back, for the history. */
export type NewTransaction = {
  id: string;
  userId: string;
  livemode: boolean;
  type: TransactionType;
  status: TransactionStatus;
  description: string;
  /** The server that it is about. */
  serverId?: string | undefined;
  /** Minor units, never negative: what was paid or given back, with its tax. */
  amount: number;
  /** The part of it that is tax. */
  tax?: number;
  /** The provider took so much off before, in minor units. */
  discount?: number;
  currency: string;
  receiptUrl?: string | undefined;
  paymentIntentId?: string | undefined;
  invoiceId?: string | undefined;
  /** The fact, such as `order:{id}`: it is one row, however often it is told. */
  idem: string;
  at: Date;
};

/**
 * Adds a row, in the transaction of what it tells of. Its time is in whole seconds, as the payment provider's are: of two facts of
 * one second the later row comes after.
 * @returns false where this fact is recorded already
 */
export async function recordTransaction(query: Query, one: NewTransaction): Promise<boolean> {
  const { rows } = await query(
    `insert into transactions (id, user_id, livemode, type, status, description, server_id, amount, currency,
       receipt_url, payment_intent_id, invoice_id, idem, created_at, tax, discount)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16) on conflict (idem) do nothing returning id`,
    [
      one.id,
      one.userId,
      one.livemode,
      one.type,
      one.status,
      one.description,
      one.serverId ?? null,
      one.amount,
      one.currency,
      one.receiptUrl ?? null,
      one.paymentIntentId ?? null,
      one.invoiceId ?? null,
      one.idem,
      new Date(Math.floor(one.at.getTime() / 1000) * 1000),
      one.tax ?? 0,
      one.discount ?? 0,
    ],
  );
  return rows.length === 1;
}
