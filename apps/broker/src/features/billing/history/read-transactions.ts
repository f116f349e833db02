import type { Transaction, TransactionStatus, TransactionType } from '@souk/contract/billing-history.ts';
import type { Query } from '#platform/db/database.ts';
import type { Period } from '#platform/http/period.ts';

export type TransactionFilter = {
  userId: string;
  /** Payments, or those of the sandbox. */
  livemode: boolean;
  period: Period;
  type?: TransactionType | undefined;
  status?: TransactionStatus | undefined;
};

type Row = {
  id: string;
  status: TransactionStatus;
  type: TransactionType;
  description: string;
  server_id: string | null;
  amount: number;
  currency: string;
  created_at: Date;
  receipt_url: string | null;
};

const filtered = `
  from transactions where user_id = $1 and livemode = $2 and created_at >= $3 and created_at < $4
    and ($5::text is null or type = $5) and ($6::text is null or status = $6)`;

/** One page of a person's payments and refunds, newest first. */
export async function readTransactions(
  query: Query,
  filter: TransactionFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<Transaction[]> {
  const { rows } = await query<Row>(
    `select id, status, type, description, server_id, amount, currency, created_at, receipt_url ${filtered}
     order by created_at desc, id desc limit $7 offset $8`,
    [...valuesOf(filter), limit, offset],
  );
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    type: row.type,
    description: row.description,
    mcpId: row.server_id,
    amount: row.amount,
    currency: row.currency.toUpperCase(),
    createdAt: row.created_at.toISOString(),
    receiptUrl: row.receipt_url,
  }));
}

export async function countTransactions(query: Query, filter: TransactionFilter): Promise<number> {
  const { rows } = await query<{ found: number }>(`select count(*) as found ${filtered}`, valuesOf(filter));
  return rows[0]?.found ?? 0;
}

/**
 * Minor units that a person has paid in one currency, less what came back. A payment that was refunded counts as paid,
 * because its refund is a transaction of its own.
 */
export async function readTotalSpent(
  query: Query,
  { userId, livemode, currency }: { userId: string; livemode: boolean; currency: string },
): Promise<number> {
  const { rows } = await query<{ spent: number }>(
    `select coalesce(sum(case when type = 'refund' then -amount else amount end)
       filter (where type not in ('subscription_cancel', 'rental_cancel')), 0)::bigint as spent
     from transactions where user_id = $1 and livemode = $2 and upper(currency) = $3
       and (status = 'completed' or (status = 'refunded' and type <> 'refund'))`,
    [userId, livemode, currency],
  );
  return rows[0]?.spent ?? 0;
}

function valuesOf({ userId, livemode, period, type, status }: TransactionFilter): unknown[] {
  return [userId, livemode, period.from.toISOString(), period.to.toISOString(), type ?? null, status ?? null];
}
