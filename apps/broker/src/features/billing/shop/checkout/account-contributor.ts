import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import { wantClearing } from '../changes/clear-customers.ts';
import type { Subscriptions } from '../subscriptions/create-subscriptions.ts';
import type { Checkout } from './create-checkout.ts';
import { accountDeleted } from './orders/order.ts';
import { withPatience } from './patience.ts';

/**
 * Orders of a user. After a deletion they stay under the user id, as records of payments, and the link to their customer at the
 * provider is deleted. Open pages are closed at the provider, and subscriptions end at once; payments that still arrive are
 * refunded.
 */
export function checkoutContributor({
  query,
  payments,
}: {
  query: Query;
  payments: { checkout: Pick<Checkout, 'closePages'>; subscriptions: Pick<Subscriptions, 'endRevoked'> } | undefined;
}): AccountContributor {
  return {
    name: 'orders',
    async export(userId) {
      const { rows } = await query<Record<string, unknown>>(
        `select created_at as "createdAt", not livemode as sandbox, kind, item_id as "of", description, amount, currency,
           paid_total as paid, paid_tax as tax, paid_discount as discount, credits, status, session_id as "sessionId"
         from checkout_orders where user_id = $1 order by created_at desc limit 10000`,
        [userId],
      );
      return rows;
    },
    async erase(userId, query) {
      await query(
        `update checkout_orders set status = case status when 'open' then 'expired' else 'returning' end, reason = $2,
           decided_at = now()
         where user_id = $1 and status in ('open', 'paid')`,
        [userId, accountDeleted],
      );
      // a job refunds their balance at the provider, by the customer's id alone
      await wantClearing(query, userId);
      await query('delete from payment_customers where user_id = $1', [userId]);
    },
    async afterErase(userId) {
      if (!payments) return;
      const { rows } = await query<{ session_id: string }>(
        `select session_id from checkout_orders
         where user_id = $1 and status = 'expired' and reason = $2 and session_id is not null`,
        [userId, accountDeleted],
      );
      const closing = payments.checkout.closePages(rows.map((row) => row.session_id));
      // if the provider does not answer now, a job retries to end the subscriptions, and payments on a page that stays open are
      // refunded
      await withPatience(Promise.all([closing, payments.subscriptions.endRevoked()]));
    },
  };
}
