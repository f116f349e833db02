import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import { inPages } from '#platform/db/in-pages.ts';

/** Bounds the file. */
const maxTransactions = 10_000;

type Row = {
  id: string;
  type: string;
  status: string;
  description: string;
  server_id: string | null;
  amount: number;
  tax: number;
  discount: number;
  currency: string;
  receipt_url: string | null;
  created_at: Date;
};

const present = ({ server_id: serverId, receipt_url: receiptUrl, created_at: createdAt, ...row }: Row) => ({
  ...row,
  serverId,
  receiptUrl,
  createdAt,
});

/**
 * What a person paid and got back, newest first. After a deletion it stays under the user id, which then identifies no
 * person, and without the links to receipts, which show names.
 */
export function transactionsContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'transactions',
    async *export(userId) {
      const pages = inPages<Row>(async (last, limit) => {
        const { rows } = await query<Row>(
          `select id, type, status, description, server_id, amount, tax, discount, currency, receipt_url, created_at from transactions
           where user_id = $1 and ($2::timestamptz is null or (created_at, id) < ($2::timestamptz, $3::uuid))
           order by created_at desc, id desc limit $4`,
          [userId, last?.created_at ?? null, last?.id ?? null, limit],
        );
        return rows;
      }, maxTransactions);
      for await (const rows of pages) yield rows.map(present);
    },
    async erase(userId, erasing) {
      await erasing('update transactions set receipt_url = null where user_id = $1', [userId]);
    },
  };
}
