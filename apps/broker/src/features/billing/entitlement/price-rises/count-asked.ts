import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { Tier } from '@souk/contract/tiers.ts';
import { creditsAt, type PriceStep } from '#features/catalogue/index.ts';
import type { Query } from '#platform/db/database.ts';
import type { FirstAccess } from './approval-store.ts';
import { firstHadMs } from './first-had.ts';

/** A tool that will cost more, with its prices so far. */
export type RaisedTool = { tool: string; credits: number; steps: readonly PriceStep[] };

/**
 * Counts the callers who agreed to less than their tools will cost, and will be asked before their next call (decision 0051).
 * @param asked.manifest as it will be deployed: its tier decides since when users have had the server
 * @param asked.callers whose calls reached which tools
 * @param asked.accountsSince users who are missing here cannot call, and are not asked
 */
export async function countAsked(
  query: Query,
  livemode: boolean,
  asked: {
    manifest: Manifest;
    raised: readonly RaisedTool[];
    callers: readonly { userId: string; tool: string }[];
    accountsSince: ReadonlyMap<string, Date>;
  },
): Promise<number> {
  const { manifest, raised, callers, accountsSince } = asked;
  const userIds = [...accountsSince.keys()];
  const [accessOf, approvedOf] = await Promise.all([
    readFirstAccess(query, { userIds, livemode, serverId: manifest.id }),
    readApproved(query, { userIds, livemode, serverId: manifest.id }),
  ]);
  const raisedByName = new Map(raised.map((one) => [one.tool, one]));
  const isAsked = ({ userId, tool }: { userId: string; tool: string }) => {
    const since = accountsSince.get(userId);
    const rise = raisedByName.get(tool);
    if (!since || !rise) return false;
    const firstMs = firstHadMs({ id: manifest.id, manifest }, accessOf(userId), since.getTime());
    return rise.credits > Math.max(creditsAt(rise.steps, firstMs), approvedOf(userId, tool));
  };
  return new Set(callers.filter(isAsked).map(({ userId }) => userId)).size;
}

type Of = { userIds: readonly string[]; livemode: boolean; serverId: string };

async function readFirstAccess(query: Query, { userIds, livemode, serverId }: Of) {
  const { rows } = await query<{ user_id: string; tier: Tier | null; first: Date }>(
    `select user_id, null as tier, min(started_at) as first from access_grants
       where user_id = any($1::uuid[]) and livemode = $2 and server_id = $3 group by user_id
     union all
     select user_id, tier, min(started_at) from subscriptions join plans using (plan_id)
       where user_id = any($1::uuid[]) and livemode = $2 group by user_id, tier`,
    [userIds, livemode, serverId],
  );
  const known = new Map<string, { servers: Map<string, number>; tiers: Map<Tier, number> }>();
  for (const { user_id: userId, tier, first } of rows) {
    const access = known.get(userId) ?? { servers: new Map(), tiers: new Map() };
    if (tier === null) access.servers.set(serverId, first.getTime());
    else access.tiers.set(tier, first.getTime());
    known.set(userId, access);
  }
  const none: FirstAccess = { servers: new Map(), tiers: new Map() };
  return (userId: string): FirstAccess => known.get(userId) ?? none;
}

/** Reads the highest price of each tool that each user approved; 0 without one. */
async function readApproved(query: Query, { userIds, livemode, serverId }: Of) {
  const { rows } = await query<{ user_id: string; tool: string; credits: number }>(
    `select user_id, tool, max(credits) as credits from price_approvals
     where user_id = any($1::uuid[]) and livemode = $2 and server_id = $3 group by user_id, tool`,
    [userIds, livemode, serverId],
  );
  const highest = new Map(rows.map((row) => [`${row.user_id} ${row.tool}`, row.credits]));
  return (userId: string, tool: string) => highest.get(`${userId} ${tool}`) ?? 0;
}
