import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

/**
 * What a person began to pay for. After a deletion the orders stay under the user id, as records of payments, and the customer
 * at the provider is no longer known as theirs: what is paid on a page that was open then is flagged, and gives nothing.
 */
export function checkoutContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'orders',
    async export(userId) {
      const { rows } = await query<Record<string, unknown>>(
        `select created_at as "createdAt", not livemode as sandbox, kind, item_id as "of", description, amount, currency,
           credits, status, session_id as "sessionId"
         from checkout_orders where user_id = $1 order by created_at desc limit 10000`,
        [userId],
      );
      return rows;
    },
    async erase(userId, query) {
      await query(
        `update checkout_orders set status = 'expired', reason = 'account deleted', decided_at = now()
         where user_id = $1 and status = 'open'`,
        [userId],
      );
      await query('delete from payment_customers where user_id = $1', [userId]);
    },
  };
}
