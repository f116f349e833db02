import type { Transaction, TransactionStatus, TransactionType } from '@souk/contract/billing/billing-history.ts';
import type { Place } from '@souk/contract/times.ts';
import type { Query } from '#platform/db/database.ts';
import type { Period } from '#platform/http/period.ts';
import { disputeSql } from '../needs/dispute-of-payment.ts';
import { presentTransaction, transactionColumns, type TransactionRow } from './transaction-row.ts';

export type TransactionFilter = {
  userId: string;
  /** Which rows count: those of real payments, or those of the sandbox. */
  livemode: boolean;
  period: Period;
  type?: TransactionType | undefined;
  status?: TransactionStatus | undefined;
};

const filtered = `
  from transactions where user_id = $1 and livemode = $2 and created_at >= $3 and created_at < $4
    and ($5::text is null or type = $5) and ($6::text is null or status = $6)`;

/** Reads a page of a user's payments and refunds, newest first. @param page.after the last row of the previous page */
export async function readTransactions(
  query: Query,
  filter: TransactionFilter,
  { limit, offset = 0, after }: { limit: number; offset?: number; after?: Place | undefined },
): Promise<Transaction[]> {
  const { rows } = await query<TransactionRow>(
    `select ${transactionColumns} from (
       select * ${filtered} and ($9::timestamptz is null or (created_at, id) < ($9::timestamptz, $10::uuid))
       order by created_at desc, id desc limit $7 offset $8) t
     left join lateral (${disputeSql}) d on true
     order by t.created_at desc, t.id desc`,
    [...valuesOf(filter), limit, offset, after?.at ?? null, after?.id ?? null],
  );
  return rows.map(presentTransaction);
}

export async function countTransactions(query: Query, filter: TransactionFilter): Promise<number> {
  const { rows } = await query<{ found: number }>(`select count(*) as found ${filtered}`, valuesOf(filter));
  return rows[0]?.found ?? 0;
}

/** Whether any payment of a user has tax or a discount. */
export async function hasTotals(
  query: Query,
  { userId, livemode }: Pick<TransactionFilter, 'userId' | 'livemode'>,
): Promise<boolean> {
  const { rows } = await query<{ found: boolean }>(
    `select exists (select from transactions where user_id = $1 and livemode = $2 and (tax > 0 or discount > 0)) as found`,
    [userId, livemode],
  );
  return rows[0]?.found ?? false;
}

/**
 * Sums what a user has paid in one currency, less refunds, in minor units. A refunded payment counts, because its refund is a
 * transaction of its own.
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
