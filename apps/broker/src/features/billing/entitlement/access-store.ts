import type { Tier } from '@souk/contract/tiers.ts';
import type { Query } from '#platform/db/database.ts';
import { readRows } from '../read-rows.ts';
import type { Owned, OwnedPlan, OwnedServer } from './owned.ts';

/** Limit of a user's plans, and of their servers, that are read. */
const maxOwned = 500;

type SpanRow = Pick<OwnedPlan, 'id' | 'source' | 'pastDue'> & {
  startedAt: Date;
  periodEndsAt: Date | undefined;
  isCancelled: boolean;
};
type PlanRow = SpanRow & {
  planId: string;
  since: Date;
  nextPlanId: string | undefined;
  nextTier: Tier | undefined;
  pendingPlanId: string | undefined;
  pendingUntil: Date | undefined;
  name: string;
  tier: Tier;
};
type ServerRow = SpanRow & Pick<OwnedServer, 'serverId' | 'kind' | 'period' | 'features' | 'endsWithPlanId'>;

const span = `id, source, past_due as "pastDue", started_at as "startedAt", period_ends_at as "periodEndsAt",
  cancelled_at is not null as "isCancelled"`;

/**
 * Reads what a user owns, the newest first. Includes what ended with its period, but not what was removed.
 * @param livemode which rows count: those of real payments, or those of the sandbox
 */
export async function readOwned(query: Query, livemode: boolean, userId: string): Promise<Owned> {
  const values = [userId, livemode, maxOwned];
  const [plans, servers] = await Promise.all([
    readRows<PlanRow>(
      query,
      `select ${span}, plan_id as "planId", coalesce(plan_since, started_at) as since, next_plan_id as "nextPlanId",
         pending_plan_id as "pendingPlanId", pending_until as "pendingUntil", plans.name, plans.tier,
         (select next.tier from plans as next where next.plan_id = subscriptions.next_plan_id) as "nextTier"
       from subscriptions join plans using (plan_id)
       where user_id = $1 and livemode = $2 and ended_at is null order by started_at desc, id desc limit $3`,
      values,
    ),
    readRows<ServerRow>(
      query,
      `select ${span}, server_id as "serverId", kind, period, features, ends_with_plan as "endsWithPlanId"
       from access_grants
       where user_id = $1 and livemode = $2 and ended_at is null order by started_at desc, id desc limit $3`,
      values,
    ),
  ]);
  return { plans: plans.map(presentPlan), servers: servers.map(presentSpan) };
}

function presentPlan({ since, pendingPlanId, pendingUntil, ...row }: PlanRow): OwnedPlan {
  return {
    ...presentSpan(row),
    sinceMs: since.getTime(),
    pending:
      pendingPlanId !== undefined && pendingUntil
        ? { planId: pendingPlanId, untilMs: pendingUntil.getTime() }
        : undefined,
  };
}

function presentSpan<Row extends SpanRow>({ startedAt, periodEndsAt, ...row }: Row) {
  return { ...row, startedAtMs: startedAt.getTime(), periodEndsAtMs: periodEndsAt?.getTime() };
}
