import type { Tier } from '@souk/contract/tiers.ts';
import type { Query } from '#platform/db/database.ts';

export type PricedTool = { serverId: string; tool: string; credits: number };

/**
 * Times in ms of a user's first access to servers that are not free for all: rentals, purchases and trials by server, plans by
 * tier.
 */
export type FirstAccess = { servers: ReadonlyMap<string, number>; tiers: ReadonlyMap<Tier, number> };

/** @param livemode which rows count: those of real payments, or those of the sandbox */
type Scope = {
  userIds: readonly string[];
  livemode: boolean;
  serverId?: string | undefined;
  tool?: string | undefined;
};

/** Reads the highest price of each tool that each user approved; 0 without one. */
export async function readApproved(query: Query, { userIds, livemode, serverId, tool }: Scope) {
  const { rows } = await query<{ user_id: string; server_id: string; tool: string; credits: number }>(
    `select user_id, server_id, tool, max(credits) as credits from price_approvals
     where user_id = any($1::uuid[]) and livemode = $2
       and ($3::text is null or server_id = $3) and ($4::text is null or tool = $4)
     group by user_id, server_id, tool`,
    [userIds, livemode, serverId ?? null, tool ?? null],
  );
  const highest = new Map(rows.map((row) => [`${row.user_id} ${row.server_id} ${row.tool}`, row.credits]));
  return (userId: string, server: string, name: string): number => highest.get(`${userId} ${server} ${name}`) ?? 0;
}

/** Reads the first access of each user, also from rows that have ended: the user has seen those prices. */
export async function readFirstAccess(query: Query, { userIds, livemode, serverId }: Scope) {
  const { rows } = await query<{ user_id: string; server_id: string | null; tier: Tier | null; first: Date }>(
    `select user_id, server_id, null as tier, min(started_at) as first from access_grants
       where user_id = any($1::uuid[]) and livemode = $2 and ($3::text is null or server_id = $3) group by user_id, server_id
     union all
     select user_id, null, tier, min(started_at) from subscriptions join plans using (plan_id)
       where user_id = any($1::uuid[]) and livemode = $2 group by user_id, tier`,
    [userIds, livemode, serverId ?? null],
  );
  const known = new Map<string, { servers: Map<string, number>; tiers: Map<Tier, number> }>();
  for (const { user_id: userId, server_id: server, tier, first } of rows) {
    const access = known.get(userId) ?? { servers: new Map(), tiers: new Map() };
    if (server !== null) access.servers.set(server, first.getTime());
    if (tier !== null) access.tiers.set(tier, first.getTime());
    known.set(userId, access);
  }
  const none: FirstAccess = { servers: new Map(), tiers: new Map() };
  return (userId: string): FirstAccess => known.get(userId) ?? none;
}

/** Stores approvals; earlier ones stay as they are. */
export async function addApprovals(
  query: Query,
  { userId, livemode, via, at }: { userId: string; livemode: boolean; via: 'form' | 'page'; at: Date },
  prices: readonly PricedTool[],
): Promise<void> {
  await query(
    `insert into price_approvals (user_id, livemode, server_id, tool, credits, approved_at, via)
     select $1, $2, "serverId", tool, credits, $4, $5
     from jsonb_to_recordset($3::jsonb) as price("serverId" text, tool text, credits bigint)
     on conflict do nothing`,
    [userId, livemode, JSON.stringify(prices), at, via],
  );
}
