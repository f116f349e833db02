import type { Query } from '#platform/db/database.ts';
import { readRows } from '../../read-rows.ts';
import { spentThisMonth, thisMonth, welcomeIdem, type Livemode } from './accounts.ts';
import type { LotSource } from './change-credits.ts';

type AccountPart = {
  source: LotSource;
  credits: number;
  expiresAt: Date | undefined;
  /** Promotional credits that the new account got as welcome credits. */
  isWelcome?: true;
};

export type CreditAccount = {
  /** Excludes expired credits. */
  balance: number;
  /** Reserved by calls under way, and by other brokers' leases. */
  held: number;
  /** Owed after a refund or a dispute of spent credits; the next credits repay it first. */
  debt: number;
  available: number;
  /** The balance by source, in the order in which it is spent. */
  parts: AccountPart[];
  monthlyCap: number | undefined;
  spentThisMonth: number;
  monthEndsAt: Date;
};

type AccountRow = {
  balance: number;
  held: number;
  debt: number;
  monthEndsAt: Date;
  monthlyCap: number | undefined;
  monthSpent: number;
  source: LotSource | undefined;
  credits: number;
  expiresAt: Date | undefined;
  isExpired: boolean;
  isWelcome: boolean;
  /** Credits of each open lease, of every broker. */
  leases: Record<string, number> | undefined;
};

/**
 * Reads an account without a lock. A user who never had credits has no account, and gets zeros.
 * @param restOf the credits of a lease that no call holds; 0 where that is unknown
 */
export async function readAccount(
  query: Query,
  livemode: Livemode,
  userId: string,
  restOf: (leaseId: string, granted: number) => number = () => 0,
): Promise<CreditAccount> {
  const rows = await readRows<AccountRow>(
    query,
    `select coalesce(c.balance, 0) as balance, coalesce(c.held, 0) as held, coalesce(c.debt, 0) as debt,
       c.monthly_cap as "monthlyCap", ${spentThisMonth} as "monthSpent",
       (${thisMonth} + interval '1 month') at time zone 'UTC' as "monthEndsAt", l.source,
       coalesce(sum(l.remaining), 0)::bigint as credits, l.expires_at as "expiresAt",
       coalesce(l.expires_at <= now(), false) as "isExpired", coalesce(l.idem = $3, false) as "isWelcome",
       (select jsonb_object_agg(id, granted) from credit_leases where user_id = $2 and livemode = $1) as leases
     from (values (1)) one
       left join credit_accounts c on c.user_id = $2 and c.livemode = $1
       left join credit_lots l on l.user_id = c.user_id and l.livemode = c.livemode and l.open
     group by c.user_id, c.livemode, l.source, l.expires_at, "isWelcome"
     order by l.source, l.expires_at nulls last, "isWelcome" desc`,
    [livemode, userId, welcomeIdem(userId)],
  );
  const [account] = rows;
  if (!account) throw new Error('the statement returned no row');
  const expired = rows.filter((row) => row.isExpired).reduce((sum, row) => sum + row.credits, 0);
  const rests = Object.entries(account.leases ?? {}).map(([leaseId, granted]) => restOf(leaseId, granted));
  const held = account.held - rests.reduce((sum, rest) => sum + rest, 0);
  // expired credits stay while a call holds them
  const balance = account.balance - Math.max(0, expired - held);
  return {
    balance,
    held,
    debt: account.debt,
    available: Math.max(0, balance - held - account.debt),
    parts: rows.flatMap(({ source, credits, expiresAt, isExpired, isWelcome }) =>
      source === undefined || isExpired
        ? []
        : [{ source, credits, expiresAt, ...(isWelcome && { isWelcome: true as const }) }],
    ),
    monthlyCap: account.monthlyCap,
    spentThisMonth: account.monthSpent,
    monthEndsAt: account.monthEndsAt,
  };
}
