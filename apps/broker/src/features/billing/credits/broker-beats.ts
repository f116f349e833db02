import type { Database, Query } from '#platform/db/database.ts';
import { tidyAccounts } from './accounts/accounts.ts';
import { settleOrphanedCalls } from './settle/ended-calls.ts';
import type { FinishedCall } from './settle/settle-calls.ts';

export type OwnLease = { leaseId: string; userId: string; isAsked: boolean };

const maxAccounts = 256;

/** Registers this broker as alive, by the database's clock, which is the only one that brokers share. */
export async function enrolBroker(query: Query, brokerId: string): Promise<void> {
  await query(
    `insert into credit_brokers (id, since, beat) values ($1, clock_timestamp(), clock_timestamp())
     on conflict do nothing`,
    [brokerId],
  );
}

export async function leaveBrokers(query: Query, brokerId: string): Promise<void> {
  await query(`delete from credit_brokers where id = $1`, [brokerId]);
}

/**
 * Renews a broker's heartbeat. `since` is reset after a pause: a broker that was silent cannot judge the silence of others.
 * @returns its leases; undefined where it was declared dead and its leases reclaimed
 */
export async function beat(query: Query, brokerId: string, lifeMs: number): Promise<OwnLease[] | undefined> {
  const { rows } = await query<OwnLease | { leaseId: null }>(
    `with me as (
       update credit_brokers set beat = clock_timestamp(),
         since = case when beat < clock_timestamp() - $2 * interval '1 ms' then clock_timestamp() else since end
       where id = $1 returning id)
     select l.id as "leaseId", l.user_id as "userId", l.state = 'asked' as "isAsked"
     from me left join credit_leases l on l.broker_id = me.id`,
    [brokerId, lifeMs],
  );
  return rows.length === 0 ? undefined : rows.filter((row) => row.leaseId !== null);
}

/**
 * Declares brokers dead that were silent for `lifeMs`, charges the calls that dead brokers have recorded, and reclaims their
 * leases. After an outage of the database, no broker is declared dead for another `lifeMs`: only a broker whose own heartbeats
 * have continued that long may declare others dead.
 * @param refused is called for each call whose row the database refuses
 * @returns how many batches of calls were charged, and how many leases were reclaimed
 */
export async function reclaimLeases(
  db: Pick<Database, 'query' | 'transaction'>,
  brokerId: string,
  lifeMs: number,
  refused: (call: FinishedCall, error: unknown) => void,
): Promise<{ batches: number; leases: number }> {
  await db.query(
    `delete from credit_brokers b using credit_brokers me
     where b.beat < clock_timestamp() - $2 * interval '1 ms' and me.id = $1
       and me.beat > clock_timestamp() - $2 * interval '1 ms' and me.since < clock_timestamp() - $2 * interval '1 ms'`,
    [brokerId, lifeMs],
  );
  const batches = await settleOrphanedCalls(db.query, refused);
  const orphaned = `not exists (select from credit_brokers b where b.id = l.broker_id)
    and not exists (select from credit_ended_calls e where e.broker_id = l.broker_id)`;
  const { rows: orphans } = await db.query<{ user_id: string; livemode: boolean }>(
    `select distinct user_id, livemode from credit_leases l where ${orphaned} limit ${maxAccounts}`,
  );
  let leases = 0;
  for (const livemode of [true, false]) {
    const userIds = orphans.filter((row) => row.livemode === livemode).map((row) => row.user_id);
    if (userIds.length === 0) continue;
    leases += await db.transaction(async (query) => {
      const { rows: locked } = await query<{ user_id: string }>(
        `select user_id from credit_accounts where user_id = any($2::uuid[]) and livemode = $1
         for no key update skip locked`,
        [livemode, userIds],
      );
      const users = locked.map((row) => row.user_id);
      const { rows } = await query<{ leases: number }>(
        `with reclaimed as (
           delete from credit_leases l where user_id = any($2::uuid[]) and livemode = $1 and ${orphaned}
           returning user_id, granted - spent as credits),
         returned as (select user_id, sum(credits)::bigint as credits, count(*) as leases from reclaimed group by user_id)
         update credit_accounts c set held = c.held - r.credits
         from returned r where c.user_id = r.user_id and c.livemode = $1
         returning r.leases`,
        [livemode, users],
      );
      if (users.length > 0) await tidyAccounts(query, livemode, users);
      return rows.reduce((sum, row) => sum + row.leases, 0);
    });
  }
  return { batches, leases };
}
