import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import type { Livemode } from '../accounts/accounts.ts';

/** A request to trim a lease that makes no more holds. `keep`: the credits of its calls, an absolute figure that only falls. */
export type LeaseTrim = { leaseId: string; userId: string; keep: number };

/**
 * Returns what leases do not use, in one statement. Repeatable, and may arrive late.
 * @returns the users whose leases are trimmed; another transaction has locked the accounts of the others
 */
export async function trimLeases(
  query: Query,
  livemode: Livemode,
  brokerId: string,
  trims: readonly LeaseTrim[],
): Promise<ReadonlySet<string>> {
  const { rows } = await query<{ users: string[] }>(
    'select trim_leases($1, $2, $3::uuid[], $4::uuid[], $5::bigint[]) as users',
    [
      livemode,
      brokerId,
      arrayLiteral(trims.map((trim) => trim.leaseId)),
      arrayLiteral(trims.map((trim) => trim.userId)),
      arrayLiteral(trims.map((trim) => trim.keep)),
    ],
  );
  return new Set(rows[0]?.users);
}
