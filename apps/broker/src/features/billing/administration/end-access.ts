import type { Query } from '#platform/db/database.ts';
import { isRunningSql, runningValues } from '../entitlement/running-sql.ts';

/** A plan, rental, purchase or trial that was ended before its time. */
export type EndedAccess = {
  id: string;
  userId: string;
  kind: 'subscription' | 'rental' | 'purchase' | 'trial';
  /** The id of the plan or the server. */
  of: string;
  /** The id of the provider's subscription. */
  paymentId: string | undefined;
};

/** What to end: one thing of a person, all their plans and rentals, or rentals of a server. */
export type AccessScope =
  | { userId: string; id: string }
  | { userId: string; all: 'plans and rentals' }
  | { serverId: string; rentalIds: readonly string[] };

const running = isRunningSql({ now: '$2', renewedSince: '$3' });
const plans = (where: string) =>
  `update subscriptions set ended_at = $2 where id in (
     select id from subscriptions where livemode = $1 and ${where} and ${running} order by id for update)
   returning id, user_id, 'subscription' as kind, plan_id as of, payment_id`;
const grants = (where: string) =>
  `update access_grants set ended_at = $2 where id in (
     select id from access_grants where livemode = $1 and ${where} and ${running} order by id for update)
   returning id, user_id, kind, server_id as of, payment_id`;

/**
 * Ends what is running of it, by the clock of the caller. Rows are locked in the order of their ids. What another transaction
 * ended first is left out.
 */
export async function endAccess(
  query: Query,
  { livemode, nowMs }: { livemode: boolean; nowMs: number },
  scope: AccessScope,
): Promise<EndedAccess[]> {
  type Row = { id: string; user_id: string; kind: EndedAccess['kind']; of: string; payment_id: string | null };
  const ended: EndedAccess[] = [];
  for (const [statement, ...values] of statementsOf(scope)) {
    const { rows } = await query<Row>(statement, [livemode, ...runningValues(nowMs), ...values]);
    for (const { user_id: userId, payment_id: paymentId, ...row } of rows)
      ended.push({ ...row, userId, paymentId: paymentId ?? undefined });
  }
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
