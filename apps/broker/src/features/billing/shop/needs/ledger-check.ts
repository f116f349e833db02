import type { Query } from '#platform/db/database.ts';
import type { LedgerFault } from '../../credits/accounts/check-ledger.ts';

/** Stores the result of the last ledger check, for administrators who do not read the log. */
export async function recordLedgerCheck(query: Query, faults: readonly LedgerFault[], at: Date): Promise<void> {
  await query(
    `insert into ledger_checks (checked_at, faults) values ($1, $2::jsonb)
     on conflict (only_row) do update set checked_at = excluded.checked_at, faults = excluded.faults`,
    [at, JSON.stringify(faults)],
  );
}

/** Reads the time of the last ledger check, and the number of accounts with mismatches; undefined: not checked yet. */
export async function readLedgerCheck(query: Query): Promise<{ at: Date; differences: number } | undefined> {
  const { rows } = await query<{ at: Date; differences: number }>(
    'select checked_at as at, jsonb_array_length(faults) as differences from ledger_checks',
  );
  return rows[0];
}
