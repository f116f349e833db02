import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import { inPages } from '#platform/db/in-pages.ts';
import { tidyAccounts } from './accounts/accounts.ts';

/** Bounds the file. */
const maxEntries = 50_000;

type EntryRow = {
  id: number;
  at: Date;
  livemode: boolean;
  delta: number;
  contra: string;
  balance_after: number;
  reason: string | null;
};

const present = (row: EntryRow) => ({
  at: row.at,
  sandbox: !row.livemode,
  credits: row.delta,
  kind: row.contra,
  balanceAfter: row.balance_after,
  reason: row.reason,
});

/**
 * What changed a person's credits, newest first. After a deletion the entries stay under the user id, which then
 * identifies no person, and the account takes part in no further call. What was left of its credits expires with the deletion:
 * it is owed to no one. What calls under way hold goes when they end.
 */
export function creditsContributor({ query }: { query: Query }): AccountContributor {
  async function* entries(userId: string, livemode: boolean) {
    const pages = inPages<EntryRow>(async (last, limit) => {
      const { rows } = await query<EntryRow>(
        `select id, at, livemode, delta, contra, balance_after, reason from ledger_entries
         where user_id = $1 and livemode = $2 and ($3::bigint is null or id < $3) order by id desc limit $4`,
        [userId, livemode, last?.id ?? null, limit],
      );
      return rows;
    }, maxEntries);
    for await (const rows of pages) yield rows.map(present);
  }
  return {
    name: 'credits',
    async *export(userId) {
      // as the index has them: real credits, then those of the sandbox
      for (const livemode of [true, false]) yield* entries(userId, livemode);
    },
    erase: async (userId, tx, address) => {
      // locks them
      await tx(`update credit_accounts set closed = true where user_id = $1`, [userId]);
      await tx(`update credit_lots set expires_at = now() where user_id = $1 and open`, [userId]);
      for (const livemode of [true, false]) await tidyAccounts(tx, livemode, [userId]);
      await tx(`delete from credit_free_aborts where user_id = $1`, [userId]);
      // of any entry: an administrator may have named them in one of another person
      await tx(`select erase_address_in_ledger($1)`, [address]);
    },
  };
}
