import type { Query } from '#platform/db/database.ts';

/** Reads the time of the last ledger check, and the number of accounts with mismatches; undefined: not checked yet. */
export async function readLedgerCheck(query: Query): Promise<{ at: Date; differences: number } | undefined> {
  const { rows } = await query<{ at: Date; differences: number }>(
    'select checked_at as at, jsonb_array_length(faults) as differences from ledger_checks',
  );
  return rows[0];
}
