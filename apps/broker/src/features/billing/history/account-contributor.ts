import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

/** Bounds the file. */
const maxTransactions = 10_000;

type Row = {
  type: string;
  status: string;
  description: string;
  server_id: string | null;
  amount: number;
  currency: string;
  receipt_url: string | null;
  created_at: Date;
};

/**
 * What a person paid and got back, newest first. After a deletion it stays under the user id, which then identifies no
 * person, and without the links to receipts, which show names.
 */
export function transactionsContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'transactions',
    async export(userId) {
      const { rows } = await query<Row>(
        `select type, status, description, server_id, amount, currency, receipt_url, created_at from transactions
         where user_id = $1 order by created_at desc, id desc limit $2`,
        [userId, maxTransactions],
      );
      return rows.map(({ server_id: serverId, receipt_url: receiptUrl, created_at: createdAt, ...row }) => {
        return { ...row, serverId, receiptUrl, createdAt };
      });
    },
    async erase(userId, erasing) {
      await erasing('update transactions set receipt_url = null where user_id = $1', [userId]);
    },
  };
}
