import type { Query } from '#platform/db/database.ts';
import { spentThisMonth, type Livemode } from './accounts.ts';
import type { LotSource } from './change-credits.ts';

/** What a person has, in whole credits. */
export type CreditAccount = {
  /** Without what has expired. */
  balance: number;
  /** The part of the balance that calls under way have reserved. */
  held: number;
  /** Owed after a refund or a dispute of credits that were spent; the next credits repay it first. */
  debt: number;
  /** What new calls can spend. */
  available: number;
  /** The balance by where it comes from, in the order in which it is spent. */
  parts: { source: LotSource; credits: number; expiresAt: Date | undefined }[];
  monthlyCap: number | undefined;
  spentThisMonth: number;
};

type AccountRow = {
  balance: number;
  held: number;
  debt: number;
  monthly_cap: number | null;
  month_spent: number;
  source: LotSource | null;
  credits: number;
  expires_at: Date | null;
  is_expired: boolean;
};

const none: CreditAccount = {
  balance: 0,
  held: 0,
  debt: 0,
  available: 0,
  parts: [],
  monthlyCap: undefined,
  spentThisMonth: 0,
};

/** Reads an account without a lock; a person who never had credits has no account, and is shown zeros. */
export async function readAccount(query: Query, livemode: Livemode, userId: string): Promise<CreditAccount> {
  const { rows } = await query<AccountRow>(
    `select c.balance, c.held, c.debt, c.monthly_cap, ${spentThisMonth} as month_spent,
       l.source, coalesce(sum(l.remaining), 0)::bigint as credits, l.expires_at,
       coalesce(l.expires_at <= now(), false) as is_expired
     from credit_accounts c
       left join credit_lots l on l.user_id = c.user_id and l.livemode = c.livemode and l.open
     where c.user_id = $2 and c.livemode = $1
     group by c.user_id, c.livemode, l.source, l.expires_at
     order by l.source, l.expires_at nulls last`,
    [livemode, userId],
  );
  const [account] = rows;
  if (!account) return none;
  const expired = rows.filter((row) => row.is_expired).reduce((sum, row) => sum + row.credits, 0);
  // what has expired stays while a call holds it
  const balance = account.balance - Math.max(0, expired - account.held);
  return {
    balance,
    held: account.held,
    debt: account.debt,
    available: Math.max(0, balance - account.held - account.debt),
    parts: rows.flatMap(({ source, credits, expires_at, is_expired }) =>
      source === null || is_expired ? [] : [{ source, credits, expiresAt: expires_at ?? undefined }],
    ),
    monthlyCap: account.monthly_cap ?? undefined,
    spentThisMonth: account.month_spent,
  };
}
