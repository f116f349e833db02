import { isDatabaseLost } from '#platform/db/database-errors.ts';
import type { Query } from '#platform/db/database.ts';
import type { Livemode } from '../accounts/accounts.ts';
import { settleCalls, type FinishedCall, type Settlement } from './settle-calls.ts';

/** Is told what became of each call, once. */
export type SettlementTold<Call> = {
  /** These were in one statement. */
  settled(calls: readonly Call[], settlement: Settlement): void;
  /** The database does not take the row of this call: it is not charged. */
  refused(call: Call, error: unknown): void;
};

/**
 * Charges calls, in one statement if it can be (settle-calls.ts). One row that the database refuses must not stop the
 * others: halves until it stands alone.
 * @throws when the database is away: those that were not told may be charged already, and the same again is harmless
 */
export async function settleEach<Call extends FinishedCall>(
  query: Query,
  livemode: Livemode,
  calls: readonly Call[],
  told: SettlementTold<Call>,
): Promise<void> {
  let settlement;
  try {
    settlement = await settleCalls(query, livemode, calls);
  } catch (error) {
    if (!isOfOneRow(error)) throw error;
    const [first] = calls;
    if (calls.length === 1 && first) return told.refused(first, error);
    const half = calls.length >> 1;
    await settleEach(query, livemode, calls.slice(0, half), told);
    return settleEach(query, livemode, calls.slice(half), told);
  }
  told.settled(calls, settlement);
}

/** SQLSTATE classes of what one row can cause: two rounds of one call, bad data, a constraint, a name. */
function isOfOneRow(error: unknown): boolean {
  if (isDatabaseLost(error) || !(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && /^(21|22|23|42)/.test(error.code);
}
