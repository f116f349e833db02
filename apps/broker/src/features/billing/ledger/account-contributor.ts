import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

/** Bounds the file. */
const maxEntries = 50_000;

type EntryRow = {
  at: Date;
  livemode: boolean;
  delta: number;
  contra: string;
  balance_after: number;
  reason: string | null;
};

/**
 * What changed a person's credits, newest first. After a deletion the entries stay under the user id, which then
 * identifies no person, and the account takes part in no further call.
 */
export function creditsContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'credits',
    async export(userId) {
      const { rows } = await query<EntryRow>(
        `select at, livemode, delta, contra, balance_after, reason from ledger_entries
         where user_id = $1 order by id desc limit $2`,
        [userId, maxEntries],
      );
      return rows.map((row) => ({
        at: row.at,
        sandbox: !row.livemode,
        credits: row.delta,
        kind: row.contra,
        balanceAfter: row.balance_after,
        reason: row.reason,
      }));
    },
    erase: async (userId, tx, address) => {
      await tx(`update credit_accounts set closed = true where user_id = $1`, [userId]);
      await tx(`delete from credit_free_aborts where user_id = $1`, [userId]);
      // of any entry: an administrator may have named them in one of another person
      await tx(`select erase_address_in_ledger($1)`, [address]);
    },
  };
}
