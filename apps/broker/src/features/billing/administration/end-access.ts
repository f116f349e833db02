import type { Query } from '#platform/db/database.ts';
import { readRows } from '../read-rows.ts';
import { isRunningSql, runningValues } from '../entitlement/running-sql.ts';

/** A plan, rental, purchase or trial that was ended before its time. */
export type EndedAccess = {
  id: string;
  userId: string;
  kind: 'subscription' | 'rental' | 'purchase' | 'trial';
  /** Id of the plan or the server. */
  of: string;
  providerSubscriptionId: string | undefined;
};

/** Access to end: one plan, rental, purchase or trial of a user, all their plans and rentals, or rentals of a server. */
export type AccessScope =
  | { userId: string; id: string }
  | { userId: string; all: 'plans and rentals' }
  | { serverId: string; rentalIds: readonly string[] };

const running = isRunningSql({ now: '$2', renewedSince: '$3' });
const plans = (where: string) =>
  `update subscriptions set ended_at = $2 where id in (
     select id from subscriptions where livemode = $1 and ${where} and ${running} order by id for update)
   returning id, user_id as "userId", 'subscription' as kind, plan_id as of, payment_id as "providerSubscriptionId"`;
const grants = (where: string) =>
  `update access_grants set ended_at = $2 where id in (
     select id from access_grants where livemode = $1 and ${where} and ${running} order by id for update)
   returning id, user_id as "userId", kind, server_id as of, payment_id as "providerSubscriptionId"`;

/**
 * Ends access that is active by the caller's clock. Locks rows in the order of their ids, and skips rows that another
 * transaction ended first.
 */
export async function endAccess(
  query: Query,
  { livemode, nowMs }: { livemode: boolean; nowMs: number },
  scope: AccessScope,
): Promise<EndedAccess[]> {
  const ended: EndedAccess[] = [];
  for (const [statement, ...values] of statementsOf(scope))
    ended.push(...(await readRows<EndedAccess>(query, statement, [livemode, ...runningValues(nowMs), ...values])));
  return ended;
}

function statementsOf(scope: AccessScope): [string, ...unknown[]][] {
  if ('serverId' in scope)
    return [
      [grants(`kind = 'rental' and server_id = $4 and id::text = any($5::text[])`), scope.serverId, scope.rentalIds],
    ];
  if ('id' in scope) {
    const one = 'user_id = $4 and id::text = $5';
    return [plans(one), grants(one)].map((statement) => [statement, scope.userId, scope.id]);
  }
  return [
    [plans('user_id = $4'), scope.userId],
    [grants(`kind = 'rental' and user_id = $4`), scope.userId],
  ];
}
