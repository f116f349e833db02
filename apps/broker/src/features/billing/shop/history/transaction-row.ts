import type { Transaction, TransactionStatus, TransactionType } from '@souk/contract/billing/billing-history.ts';
import { totalsOf } from '@souk/contract/billing/totals.ts';
import { disputeColumns, presentDispute, type DisputeColumns } from '../needs/dispute-of-payment.ts';

/** A row `t` of the history, joined with its dispute `d`. */
export type TransactionRow = DisputeColumns & {
  id: string;
  status: TransactionStatus;
  type: TransactionType;
  description: string;
  server_id: string | null;
  amount: number;
  discount: number;
  tax: number;
  currency: string;
  created_at: Date;
  receipt_url: string | null;
};

export const transactionColumns = `t.id, t.status, t.type, t.description, t.server_id, t.amount, t.discount, t.tax, t.currency, t.created_at,
  t.receipt_url, ${disputeColumns}`;

/** A transaction as its owner sees it, without the shop's deadline to answer a dispute. */
export function presentTransaction(row: TransactionRow): Transaction {
  const dispute = presentDispute(row);
  const totals = totalsOf(row.amount, row);
  return {
    id: row.id,
    status: row.status,
    type: row.type,
    description: row.description,
    mcpId: row.server_id,
    amount: row.amount,
    currency: row.currency.toUpperCase(),
    ...(totals && { totals }),
    createdAt: row.created_at.toISOString(),
    receiptUrl: row.receipt_url,
    dispute: dispute && { state: dispute.state, credits: dispute.credits },
  };
}
