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
  next_plan_id: string | null;
  pending_plan_id: string | null;
  pending_until: Date | null;
  name: string;
  tier: Tier;
};
type ServerRow = SpanRow & {
  is_over: boolean;
  server_id: string;
  kind: OwnedServer['kind'];
  period: 'daily' | 'weekly' | 'monthly' | null;
  features: string[];
};

const span = 'id, source, past_due, started_at, period_ends_at, cancelled_at';

/** What people own, as rows. */
export type AccessStore = {
  /** The newest first. Those that were taken away are left out, but for the fact of a trial; those whose period is over are not. */
  read(userId: string): Promise<Owned>;
  /** @returns false where this person had a trial of this server before */
  addTrial(trial: { id: string; userId: string; serverId: string; startsAt: Date; endsAt: Date }): Promise<boolean>;
};

/** @param livemode which rows count: those of real payments, or those of the sandbox */
export function createAccessStore(db: Pick<Database, 'query'>, livemode: boolean): AccessStore {
  return {
    async read(userId) {
      const [plans, owned] = await Promise.all([
        readPlans(db.query, userId, livemode),
        readServers(db.query, userId, livemode),
      ]);
      return { plans, ...owned };
    },
    async addTrial({ id, userId, serverId, startsAt, endsAt }) {
      const { rows } = await db.query(
        `insert into access_grants (id, user_id, livemode, server_id, kind, source, started_at, period_ends_at)
         values ($1, $2, $3, $4, 'trial', 'person', $5, $6)
         on conflict (user_id, server_id, livemode) where kind = 'trial' do nothing returning id`,
        [id, userId, livemode, serverId, startsAt, endsAt],
      );
      return rows.length === 1;
    },
  };
}

async function readPlans(query: Query, userId: string, livemode: boolean): Promise<Owned['plans']> {
  const { rows } = await query<PlanRow>(
    `select ${span}, plan_id, next_plan_id, pending_plan_id, pending_until, plans.name, plans.tier
     from subscriptions join plans using (plan_id)
     where user_id = $1 and livemode = $2 and ended_at is null order by started_at desc, id desc limit $3`,
    [userId, livemode, maxOwned],
  );
  return rows.map((row) => ({
    ...presentSpan(row),
    planId: row.plan_id,
    name: row.name,
    tier: row.tier,
    nextPlanId: row.next_plan_id ?? undefined,
    pending:
      row.pending_plan_id !== null && row.pending_until !== null
        ? { planId: row.pending_plan_id, untilMs: row.pending_until.getTime() }
        : undefined,
  }));
}

async function readServers(
  query: Query,
  userId: string,
  livemode: boolean,
): Promise<Pick<Owned, 'servers' | 'triedServers'>> {
  const { rows } = await query<ServerRow>(
    `select ${span}, ended_at is not null as is_over, server_id, kind, period, features from access_grants
     where user_id = $1 and livemode = $2 and (ended_at is null or kind = 'trial')
     order by started_at desc, id desc limit $3`,
    [userId, livemode, maxOwned],
  );
  const triedServers = new Set(rows.filter(({ kind }) => kind === 'trial').map((row) => row.server_id));
  const servers = rows.filter((row) => !row.is_over).map(presentServer);
  return { servers, triedServers };
}

function presentServer(row: ServerRow): OwnedServer {
  return {
    ...presentSpan(row),
    serverId: row.server_id,
    kind: row.kind,
    period: row.period ?? undefined,
    features: row.features,
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
