import type { Query } from '#platform/db/database.ts';

/** Sums of the whole ledger. A restored backup must have the same sums. */
export type LedgerSums = { accounts: number; balance: number; debt: number; entries: number };

export async function readLedgerSums(query: Query): Promise<LedgerSums> {
  const { rows } = await query<LedgerSums>(
    `select count(*)::int8 as accounts, coalesce(sum(balance), 0)::int8 as balance, coalesce(sum(debt), 0)::int8 as debt,
       (select coalesce(sum(delta), 0)::int8 from ledger_entries) as entries
     from credit_accounts`,
  );
  const [sums] = rows;
  if (!sums) throw new Error('the ledger has no sums');
  return sums;
}
