import type { Query } from '#platform/db/database.ts';

/** When the ledger was last checked, and of how many accounts the figures did not fit together; undefined: not yet. */
export async function readLedgerCheck(query: Query): Promise<{ at: Date; differences: number } | undefined> {
  const { rows } = await query<{ at: Date; differences: number }>(
    'select checked_at as at, jsonb_array_length(faults) as differences from ledger_checks',
  );
  return rows[0];
}
