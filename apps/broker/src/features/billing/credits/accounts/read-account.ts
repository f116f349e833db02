import type { Query } from '#platform/db/database.ts';
import { spentThisMonth, thisMonth, welcomeIdem, type Livemode } from './accounts.ts';
import type { LotSource } from './change-credits.ts';

type AccountPart = {
  source: LotSource;
  credits: number;
  expiresAt: Date | undefined;
  /** The promotional credits were given to the new account as a welcome. */
  isWelcome?: true;
};

/** What a person has, in whole credits. */
export type CreditAccount = {
  /** Without what has expired. */
  balance: number;
  /** The part of the balance that calls under way have reserved, and the rest of leases that this broker does not know. */
  held: number;
  /** Owed after a refund or a dispute of credits that were spent; the next credits repay it first. */
  debt: number;
  /** What new calls can spend. */
  available: number;
  /** The balance by where it comes from, in the order in which it is spent. */
  parts: AccountPart[];
  monthlyCap: number | undefined;
  spentThisMonth: number;
  /** When the month of the cap ends (UTC). */
  monthEndsAt: Date;
};

type AccountRow = {
  balance: number | null;
  held: number;
  debt: number;
  month_ends_at: Date;
  monthly_cap: number | null;
  month_spent: number;
  source: LotSource | null;
  credits: number;
  expires_at: Date | null;
  is_expired: boolean;
  is_welcome: boolean;
  /** Credits of each open lease, of every broker. */
  leases: Record<string, number> | null;
};

/**
 * Reads an account without a lock; a person who never had credits has no account, and is shown zeros.
 * @param restOf what no call holds of a lease with so many credits; 0 where that is not known
 */
export async function readAccount(
  query: Query,
  livemode: Livemode,
  userId: string,
  restOf: (leaseId: string, granted: number) => number = () => 0,
): Promise<CreditAccount> {
  const { rows } = await query<AccountRow>(
    `select c.balance, coalesce(c.held, 0) as held, coalesce(c.debt, 0) as debt, c.monthly_cap,
       ${spentThisMonth} as month_spent, (${thisMonth} + interval '1 month') at time zone 'UTC' as month_ends_at,
       l.source, coalesce(sum(l.remaining), 0)::bigint as credits, l.expires_at,
       coalesce(l.expires_at <= now(), false) as is_expired, coalesce(l.idem = $3, false) as is_welcome,
       (select jsonb_object_agg(id, granted) from credit_leases where user_id = $2 and livemode = $1) as leases
     from (values (1)) one
       left join credit_accounts c on c.user_id = $2 and c.livemode = $1
       left join credit_lots l on l.user_id = c.user_id and l.livemode = c.livemode and l.open
     group by c.user_id, c.livemode, l.source, l.expires_at, is_welcome
     order by l.source, l.expires_at nulls last, is_welcome desc`,
    [livemode, userId, welcomeIdem(userId)],
  );
  const [account] = rows;
  if (!account) throw new Error('one row is always there');
  const expired = rows.filter((row) => row.is_expired).reduce((sum, row) => sum + row.credits, 0);
  const rests = Object.entries(account.leases ?? {}).map(([leaseId, granted]) => restOf(leaseId, granted));
  const held = account.held - rests.reduce((sum, rest) => sum + rest, 0);
  // what has expired stays while a call holds it
  const balance = (account.balance ?? 0) - Math.max(0, expired - held);
  return {
    balance,
    held,
    debt: account.debt,
    available: Math.max(0, balance - held - account.debt),
    parts: rows.flatMap(({ source, credits, expires_at, is_expired, is_welcome }) =>
      source === null || is_expired
        ? []
        : [{ source, credits, expiresAt: expires_at ?? undefined, ...(is_welcome && { isWelcome: true as const }) }],
    ),
    monthlyCap: account.monthly_cap ?? undefined,
    spentThisMonth: account.month_spent,
    monthEndsAt: account.month_ends_at,
  };
}
