import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import { inPages } from '#platform/db/in-pages.ts';

/** Bounds the file. */
const maxTransactions = 10_000;

type Row = { id: string; createdAt: Date };

/**
 * A user's payments and refunds, newest first. After a deletion they stay under the user id, which then identifies no person,
 * without the links to receipts, which show names.
 */
export function transactionsContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'transactions',
    async *export(userId) {
      const pages = inPages<Row>(async (last, limit) => {
        const { rows } = await query<Row>(
          `select id, type, status, description, server_id as "serverId", amount, tax, discount, currency,
             receipt_url as "receiptUrl", created_at as "createdAt" from transactions
           where user_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2::timestamptz, $3::uuid))
           order by created_at desc, id desc limit $4`,
          [userId, last?.createdAt ?? null, last?.id ?? null, limit],
        );
        return rows;
      }, maxTransactions);
      yield* pages;
    },
    async erase(userId, erasing) {
      await erasing('update transactions set receipt_url = null where user_id = $1', [userId]);
    },
  };
}
