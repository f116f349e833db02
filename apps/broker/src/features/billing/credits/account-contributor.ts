import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import { inPages } from '#platform/db/in-pages.ts';
import { tidyAccounts } from './accounts/accounts.ts';

/** Bounds the file. */
const maxEntries = 50_000;

/**
 * The changes of a user's credits, newest first. After a deletion the entries stay under the user id, which then identifies no
 * person, and the account can pay for no further call. The remaining credits expire with the deletion; credits that calls under
 * way hold expire when these calls end.
 */
export function creditsContributor({ query }: { query: Query }): AccountContributor {
  async function* entries(userId: string, livemode: boolean) {
    const pages = inPages<{ id: number }>(async (last, limit) => {
      const { rows } = await query<{ id: number }>(
        `select id, at, not livemode as sandbox, delta as credits, contra as kind, balance_after as "balanceAfter", reason
         from ledger_entries
         where user_id = $1 and livemode = $2 and ($3::bigint is null or id < $3) order by id desc limit $4`,
        [userId, livemode, last?.id ?? null, limit],
      );
      return rows;
    }, maxEntries);
    for await (const rows of pages) yield rows.map(({ id: _id, ...entry }) => entry);
  }
  return {
    name: 'credits',
    async *export(userId) {
      // in the order of the index: real credits, then those of the sandbox
      for (const livemode of [true, false]) yield* entries(userId, livemode);
    },
    erase: async (userId, tx, address) => {
      // locks the accounts
      await tx(`update credit_accounts set closed = true where user_id = $1`, [userId]);
      await tx(`update credit_lots set expires_at = now() where user_id = $1 and open`, [userId]);
      for (const livemode of [true, false]) await tidyAccounts(tx, livemode, [userId]);
      await tx(`delete from credit_free_aborts where user_id = $1`, [userId]);
      // in all entries: the reason of another user's entry may contain the address too
      await tx(`select erase_address_in_ledger($1)`, [address]);
    },
  };
}
