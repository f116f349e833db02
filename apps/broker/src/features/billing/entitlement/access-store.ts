import type { Tier } from '@souk/contract/tiers.ts';
import type { Database, Query } from '#platform/db/database.ts';
import type { Owned, OwnedServer } from './owned.ts';

/** Bounds what one person's list costs. */
const maxOwned = 500;

type SpanRow = {
  id: string;
  source: 'payment' | 'administrator' | 'person';
  past_due: boolean;
  started_at: Date;
  period_ends_at: Date | null;
  cancelled_at: Date | null;
};
type PlanRow = SpanRow & {
  plan_id: string;
  plan_since: Date | null;
  next_plan_id: string | null;
  next_tier: Tier | null;
  pending_plan_id: string | null;
  pending_until: Date | null;
  name: string;
  tier: Tier;
};
type ServerRow = SpanRow & {
  server_id: string;
  kind: OwnedServer['kind'];
  period: 'daily' | 'weekly' | 'monthly' | null;
  features: string[];
  ends_with_plan: string | null;
};

const span = 'id, source, past_due, started_at, period_ends_at, cancelled_at';

/** What people own, as rows. */
export type AccessStore = {
  /** The newest first. Those that were taken away are left out; those whose period is over are not. */
  read(userId: string): Promise<Owned>;
};

/** @param livemode which rows count: those of real payments, or those of the sandbox */
export function createAccessStore(db: Pick<Database, 'query'>, livemode: boolean): AccessStore {
  return {
    async read(userId) {
      const [plans, servers] = await Promise.all([
        readPlans(db.query, userId, livemode),
        readServers(db.query, userId, livemode),
      ]);
      return { plans, servers };
    },
  };
}

async function readPlans(query: Query, userId: string, livemode: boolean): Promise<Owned['plans']> {
  const { rows } = await query<PlanRow>(
    `select ${span}, plan_id, plan_since, next_plan_id, pending_plan_id, pending_until, plans.name, plans.tier,
       (select next.tier from plans as next where next.plan_id = subscriptions.next_plan_id) as next_tier
     from subscriptions join plans using (plan_id)
     where user_id = $1 and livemode = $2 and ended_at is null order by started_at desc, id desc limit $3`,
    [userId, livemode, maxOwned],
  );
  return rows.map((row) => ({
    ...presentSpan(row),
    planId: row.plan_id,
    sinceMs: (row.plan_since ?? row.started_at).getTime(),
    name: row.name,
    tier: row.tier,
    nextPlanId: row.next_plan_id ?? undefined,
    nextTier: row.next_tier ?? undefined,
    pending:
      row.pending_plan_id !== null && row.pending_until !== null
        ? { planId: row.pending_plan_id, untilMs: row.pending_until.getTime() }
        : undefined,
  }));
}

async function readServers(query: Query, userId: string, livemode: boolean): Promise<Owned['servers']> {
  const { rows } = await query<ServerRow>(
    `select ${span}, server_id, kind, period, features, ends_with_plan from access_grants
     where user_id = $1 and livemode = $2 and ended_at is null
     order by started_at desc, id desc limit $3`,
    [userId, livemode, maxOwned],
  );
  return rows.map(presentServer);
}

function presentServer(row: ServerRow): OwnedServer {
  return {
    ...presentSpan(row),
    serverId: row.server_id,
    kind: row.kind,
    period: row.period ?? undefined,
    features: row.features,
    endsWithPlanId: row.ends_with_plan ?? undefined,
  };
}

function presentSpan(row: SpanRow) {
  return {
    id: row.id,
    source: row.source,
    pastDue: row.past_due,
    startedAtMs: row.started_at.getTime(),
    periodEndsAtMs: row.period_ends_at?.getTime(),
    isCancelled: row.cancelled_at !== null,
  };
}
