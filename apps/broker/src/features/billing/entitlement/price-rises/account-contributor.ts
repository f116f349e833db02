import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

/** Prices that a user approved. They stay with the charges that they explain, under the user id, which then identifies no person. */
export function priceApprovalsContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'priceApprovals',
    async export(userId) {
      const { rows } = await query<Record<string, unknown>>(
        `select server_id as "serverId", tool, credits, approved_at as "approvedAt", via, not livemode as sandbox
         from price_approvals where user_id = $1 order by approved_at desc limit 10000`,
        [userId],
      );
      return rows;
    },
    async erase() {},
  };
}
