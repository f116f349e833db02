import type { Query } from '#platform/db/database.ts';
import type { TransactionStatus, TransactionType } from '@souk/contract/billing/billing-history.ts';

/** A payment or a refund, for the history. */
export type NewTransaction = {
  id: string;
  userId: string;
  livemode: boolean;
  type: TransactionType;
  status: TransactionStatus;
  description: string;
  serverId?: string | undefined;
  /** Minor units with tax, never negative, also for a refund. */
  amount: number;
  /** Tax within the amount. */
  tax?: number;
  /** Discount that is already deducted from the amount, in minor units. */
  discount?: number;
  currency: string;
  receiptUrl?: string | undefined;
  paymentIntentId?: string | undefined;
  invoiceId?: string | undefined;
  /** Idempotency key, such as `order:{id}`: one row, however often it is recorded. */
  idem: string;
  at: Date;
};

/**
 * Adds a row, in the transaction of the change that it records. Its time is in whole seconds, like the provider's: within one
 * second, rows keep the order of their insertion.
 * @returns false where it is recorded already
 */
export async function recordTransaction(query: Query, one: NewTransaction): Promise<boolean> {
  const { rows } = await query(
    `insert into transactions (id, user_id, livemode, type, status, description, server_id, amount, currency,
       receipt_url, payment_intent_id, invoice_id, idem, created_at, tax, discount)
     select id, "userId", livemode, type, status, description, "serverId", amount, currency, "receiptUrl", "paymentIntentId",
       "invoiceId", idem, date_trunc('second', at), coalesce(tax, 0), coalesce(discount, 0)
     from jsonb_to_record($1::jsonb) as t(id uuid, "userId" uuid, livemode boolean, type text, status text, description text,
       "serverId" text, amount bigint, currency text, "receiptUrl" text, "paymentIntentId" text, "invoiceId" text, idem text,
       at timestamptz, tax bigint, discount bigint)
     on conflict (idem) do nothing returning id`,
    [JSON.stringify(one)],
  );
  return rows.length === 1;
}
