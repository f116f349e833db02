import { isDatabaseLost } from '#platform/db/database-errors.ts';
import type { Query } from '#platform/db/database.ts';
import type { Livemode } from '../accounts/accounts.ts';
import { settleCalls, type FinishedCall, type Settlement } from './settle-calls.ts';

/** Called with the outcome of each call, once. */
export type SettlementHandlers<Call> = {
  settled(calls: readonly Call[], settlement: Settlement): void;
  /** The database refuses the row of this call: it is not charged. */
  refused(call: Call, error: unknown): void;
};

/**
 * Charges calls, in one statement if possible (settle-calls.ts). A row that the database refuses must not stop the others: the
 * batch is halved until the row stands alone.
 * @throws when the database is unreachable: calls without an outcome may be charged already, and repeating them is harmless
 */
export async function settleEach<Call extends FinishedCall>(
  query: Query,
  livemode: Livemode,
  calls: readonly Call[],
  handlers: SettlementHandlers<Call>,
): Promise<void> {
  let settlement;
  try {
    settlement = await settleCalls(query, livemode, calls);
  } catch (error) {
    if (!isOfOneRow(error)) throw error;
    const [first] = calls;
    if (calls.length === 1 && first) return handlers.refused(first, error);
    const half = calls.length >> 1;
    await settleEach(query, livemode, calls.slice(0, half), handlers);
    return settleEach(query, livemode, calls.slice(half), handlers);
  }
  handlers.settled(calls, settlement);
}

/** Matches the SQLSTATE classes that one row can cause: two rounds of one call, bad data, a constraint, a name. */
function isOfOneRow(error: unknown): boolean {
  if (isDatabaseLost(error) || !(error instanceof Error) || !('code' in error)) return false;
  return typeof error.code === 'string' && /^(21|22|23|42)/.test(error.code);
}
