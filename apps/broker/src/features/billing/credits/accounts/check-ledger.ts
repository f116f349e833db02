import { sql } from 'kysely';
import type { Database } from '#platform/db/database.ts';

export type LedgerFault = { userId: string; livemode: boolean; fault: string };

/** The invariants of each account's figures. One statement, so that all are read at one moment. */
const checkText = `
  with accounts as (select user_id, livemode, balance, held, debt, monthly_cap, month_spent from credit_accounts),
  entries as (select user_id, livemode, sum(delta) as credits from ledger_entries group by 1, 2),
  lots as (select user_id, livemode, sum(remaining) as credits from credit_lots group by 1, 2),
  leases as (select user_id, livemode, sum(granted - spent) as credits from credit_leases group by 1, 2),
  figures as (
    select user_id, livemode, a.balance, a.held, a.debt, coalesce(e.credits, 0) as entries,
      coalesce(l.credits, 0) as lots, coalesce(h.credits, 0) as leases
    from accounts a full join entries e using (user_id, livemode) full join lots l using (user_id, livemode)
      full join leases h using (user_id, livemode)),
  faults as (
    select user_id, livemode, format('entries come to %s, balance less debt to %s', entries, balance - debt) as fault
    from figures where entries is distinct from balance - debt
    union all
    select user_id, livemode, format('lots come to %s, the balance is %s', lots, balance)
    from figures where lots is distinct from balance
    union all
    select user_id, livemode, format('leases come to %s, held are %s', leases, held)
    from figures where leases is distinct from held
    union all
    select user_id, livemode, format('held are %s of %s', held, balance)
    from figures where held > balance or held < 0)
  select user_id as "userId", livemode, fault from faults limit 100`;

/**
 * Finds accounts whose figures do not add up, at most 100; there should be none. Reads the whole ledger, without a time limit.
 */
export async function checkLedger({ maintenance }: Pick<Database, 'maintenance'>): Promise<LedgerFault[]> {
  const { rows } = await sql<LedgerFault>`${sql.raw(checkText)}`.execute(maintenance);
  return rows;
}
