import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import type { Livemode } from '../accounts/accounts.ts';

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
  granted: number;
  free: number;
  available: number;
  under_cap: number | null;
  expected: number;
  is_alive: boolean;
  is_settled: boolean;
  is_under_way: boolean;
};

/** A broker that others have given up: its id never lives again. */
export class BrokerIsDead extends Error {}

/**
 * Grants leases: puts credits of accounts durably aside for a broker. One statement; each account is asked for once.
 * @returns no answer for an account that another transaction has locked: to be asked for again
 * @throws BrokerIsDead
 */
export async function grantLeases(
  query: Query,
  livemode: Livemode,
  brokerId: string,
  asks: readonly LeaseAsk[],
): Promise<LeaseAnswer[]> {
  const { rows } = await query<Row>(
    `select (answer).*, expected, is_alive
     from grant_leases($1, $2, $3::uuid[], $4::uuid[], $5::bigint[], $6::bigint[], $7::bigint[], $8::uuid[])`,
    [
      livemode,
      brokerId,
      arrayLiteral(asks.map((ask) => ask.leaseId)),
      arrayLiteral(asks.map((ask) => ask.userId)),
      arrayLiteral(asks.map((ask) => ask.need)),
      arrayLiteral(asks.map((ask) => ask.demand)),
      arrayLiteral(asks.map((ask) => ask.extra)),
      arrayLiteral(asks.map((ask) => ask.callId)),
    ],
  );
  if (rows.some((row) => !row.is_alive)) throw new BrokerIsDead('this broker was given up');
  return rows.map((row) => ({
    leaseId: row.lease_id,
    granted: row.granted,
    free: row.free,
    available: row.available,
    underCap: row.under_cap ?? undefined,
    expected: row.expected,
    isSettled: row.is_settled,
    isUnderWay: row.is_under_way,
  }));
}
