import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import type { Livemode } from '../accounts/accounts.ts';

/** A lease that gives no more holds. It keeps what was handed out to calls: an absolute figure that only falls. */
export type LeaseTrim = { leaseId: string; userId: string; keep: number };

/**
 * Gives back what leases do not use. May be repeated, and may arrive late. One statement.
 * @returns the users whose leases are as they should be; another transaction has locked the accounts of the others
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
