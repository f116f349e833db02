import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import { lockFreeAccounts, spentThisMonth, type Livemode } from './accounts.ts';
import { askForLeases } from './ask-for-leases.ts';

/** A lease that a broker asks for: one of an account at a time. */
export type LeaseAsk = {
  leaseId: string;
  userId: string;
  /** The least that is of use: the price of the cheapest call that waits. */
  need: number;
  /** What all calls that wait cost together. */
  demand: number;
  /** What the broker would like beside it, for calls to come. It gets at most a twentieth of what is free. */
  extra: number;
  /** The call of several rounds that the lease is for: no other lease may be for it, and it may not have been charged. */
  callId: string | undefined;
};

export type LeaseAnswer = {
  leaseId: string;
  /** 0: none. */
  granted: number;
  /** What the account had for new leases: `available`, or what the cap leaves if that is less. */
  free: number;
  available: number;
  /** What the month's cap left; undefined without a cap. */
  underCap: number | undefined;
  /** Leases of other brokers that were asked back, and are yet to come. */
  expected: number;
  /** The call has been charged. */
  isSettled: boolean;
  /** Another lease is for the call. */
  isUnderWay: boolean;
};

type Row = {
  lease_id: string;
  user_id: string;
  granted: number;
  free: number;
  available: number;
  under_cap: number | null;
  demand: number;
  is_settled: boolean;
  is_under_way: boolean;
};

/** A broker that others have given up: its id never lives again. */
export class BrokerIsDead extends Error {}

/**
 * Grants leases: puts credits of accounts durably aside for a broker. Runs in a transaction.
 * @returns no answer for an account that another transaction has locked: to be asked for again
 * @throws BrokerIsDead
 */
export async function grantLeases(
  query: Query,
  livemode: Livemode,
  brokerId: string,
  asks: readonly LeaseAsk[],
): Promise<LeaseAnswer[]> {
  const locked = await lockFreeAccounts(
    query,
    livemode,
    asks.map((ask) => ask.userId),
  );
  const { rows } = await query<Row & { is_alive: boolean }>(grantText, [
    livemode,
    brokerId,
    [...locked],
    arrayLiteral(asks.map((ask) => ask.leaseId)),
    arrayLiteral(asks.map((ask) => ask.userId)),
    arrayLiteral(asks.map((ask) => ask.need)),
    arrayLiteral(asks.map((ask) => ask.demand)),
    arrayLiteral(asks.map((ask) => ask.extra)),
    arrayLiteral(asks.map((ask) => ask.callId)),
  ]);
  if (rows.some((row) => !row.is_alive)) throw new BrokerIsDead('this broker was given up');
  const short = rows.filter((row) => row.granted < row.demand).map((row) => row.user_id);
  const expected = short.length === 0 ? undefined : await askForLeases(query, livemode, short, brokerId);
  return rows.map((row) => ({
    leaseId: row.lease_id,
    granted: row.granted,
    free: row.free,
    available: row.available,
    underCap: row.under_cap ?? undefined,
    expected: expected?.get(row.user_id) ?? 0,
    isSettled: row.is_settled,
    isUnderWay: row.is_under_way,
  }));
}

const grantText = `
  with asks as materialized (
    select a.*, exists (select from credit_brokers b where b.id = $2) as is_alive,
      case when c.user_id is null or c.closed then 0 else greatest(0, c.balance - c.held - c.debt) end as available,
      case when c.monthly_cap is not null then greatest(0, c.monthly_cap - c.held - ${spentThisMonth}) end as under_cap,
      a.call_id is not null and exists (
        select from ledger_entries e where e.idem = 'call:' || a.call_id) as is_settled,
      a.call_id is not null and exists (select from credit_leases l where l.call_id = a.call_id) as is_under_way
    from unnest($4::uuid[], $5::uuid[], $6::bigint[], $7::bigint[], $8::bigint[], $9::uuid[])
      a (lease_id, user_id, need, demand, extra, call_id)
      left join credit_accounts c on c.user_id = a.user_id and c.livemode = $1
    where c.user_id is null or a.user_id = any($3::uuid[])),
  capped as (select *, least(available, under_cap) as free from asks),
  sized as materialized (
    select *, case
      when not is_alive or free < need or is_settled or is_under_way then 0
      else least(free, demand) + case
        -- a twentieth that does not cover a call: the balance is low, and the lease is of exactly what is needed
        when (free - demand) / 20 < need then 0
        else least(extra, (free - demand) / 20) end
      end as size
    from capped),
  leases as (
    insert into credit_leases (id, user_id, livemode, broker_id, granted, call_id)
    select lease_id, user_id, $1, $2, size, call_id from sized where size > 0),
  accounts as (
    update credit_accounts c set held = c.held + s.size
    from sized s where c.user_id = s.user_id and c.livemode = $1 and s.size > 0)
  select lease_id, user_id, size as granted, free, available, under_cap, demand, is_alive, is_settled, is_under_way from sized`;
