import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { Query } from '#platform/db/database.ts';
import { readRows } from '../../read-rows.ts';
import type { Livemode } from '../accounts/accounts.ts';

/** A broker's request for a lease: one per account at a time. */
export type LeaseAsk = {
  leaseId: string;
  userId: string;
  /** Minimum: the price of the cheapest waiting call. */
  need: number;
  /** Price of all waiting calls together. */
  demand: number;
  /** Credits wished for future calls. At most a twentieth of what is free is granted. */
  extra: number;
  /** The call of several rounds that the lease is for: it must be uncharged, and have no other lease. */
  callId: string | undefined;
};

export type LeaseAnswer = {
  leaseId: string;
  /** Credits; 0: no lease. */
  granted: number;
  /** Credits for new leases: `available`, or what the cap leaves if that is less. */
  free: number;
  available: number;
  /** Credits that the month's cap leaves; undefined without a cap. */
  underCap: number | undefined;
  /** Leases that other brokers were asked to return. */
  expected: number;
  isSettled: boolean;
  isUnderWay: boolean;
};

/** Another broker declared this one dead. Its id is never used again. */
export class BrokerIsDead extends Error {}

/**
 * Grants leases: reserves credits of accounts durably for a broker, in one statement. Each account has at most one request.
 * @returns no answer for an account that another transaction has locked: repeat the request
 * @throws BrokerIsDead
 */
export async function grantLeases(
  query: Query,
  livemode: Livemode,
  brokerId: string,
  asks: readonly LeaseAsk[],
): Promise<LeaseAnswer[]> {
  const rows = await readRows<LeaseAnswer & { isAlive: boolean }>(
    query,
    `select (answer).lease_id as "leaseId", (answer).granted, (answer).free, (answer).available,
       (answer).under_cap as "underCap", expected, (answer).is_settled as "isSettled",
       (answer).is_under_way as "isUnderWay", is_alive as "isAlive"
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
  if (rows.some((row) => !row.isAlive)) throw new BrokerIsDead('this broker was declared dead');
  return rows;
}
