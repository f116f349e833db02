import type { Query } from '#platform/db/database.ts';
import type { LedgerFault } from '../../credits/accounts/check-ledger.ts';

/** Stores the result of the last ledger check, for administrators who do not read the log. */
export async function noteLedgerCheck(query: Query, faults: readonly LedgerFault[], at: Date): Promise<void> {
  await query(
    `insert into ledger_checks (checked_at, faults) values ($1, $2::jsonb)
     on conflict (only_row) do update set checked_at = excluded.checked_at, faults = excluded.faults`,
    [at, JSON.stringify(faults)],
  );
}
