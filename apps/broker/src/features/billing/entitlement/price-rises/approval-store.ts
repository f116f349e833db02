import type { Tier } from '@souk/contract/tiers.ts';
import type { Query } from '#platform/db/database.ts';

/** A price of a tool. */
export type PricedTool = { serverId: string; tool: string; credits: number };

/** First access in ms to what is not free for all: rentals, purchases and trials by server, plans by tier. */
export type FirstAccess = { servers: ReadonlyMap<string, number>; tiers: ReadonlyMap<Tier, number> };

/** @param livemode which rows count: those of real payments, or those of the sandbox */
export function createApprovalStore(query: Query, livemode: boolean) {
  return {
    /** Reads the highest price of each tool that a user approved. @param only one tool */
    async approved(userId: string, only?: Pick<PricedTool, 'serverId' | 'tool'>): Promise<PricedTool[]> {
      const { rows } = await query<{ server_id: string; tool: string; credits: number }>(
        `select server_id, tool, max(credits) as credits from price_approvals
         where user_id = $1 and livemode = $2
           and ($3::text is null or server_id = $3) and ($4::text is null or tool = $4)
         group by server_id, tool`,
        [userId, livemode, only?.serverId ?? null, only?.tool ?? null],
      );
      return rows.map((row) => ({ serverId: row.server_id, tool: row.tool, credits: row.credits }));
    },

    /** Stores approvals; earlier ones stay as they are. */
    async add(userId: string, prices: readonly PricedTool[], via: 'form' | 'page', at: Date): Promise<void> {
      await query(
        `insert into price_approvals (user_id, livemode, server_id, tool, credits, approved_at, via)
         select $1, $2, server_id, tool, credits, $6, $7
         from unnest($3::text[], $4::text[], $5::bigint[]) as price (server_id, tool, credits)
         on conflict do nothing`,
        [
          userId,
          livemode,
          prices.map(({ serverId }) => serverId),
          prices.map(({ tool }) => tool),
          prices.map(({ credits }) => credits),
          at,
          via,
        ],
      );
    },

    /** Reads the first access, also from rows that have ended: the user has seen those prices. */
    async firstAccess(userId: string): Promise<FirstAccess> {
      const { rows } = await query<{ server_id: string | null; tier: Tier | null; first: Date }>(
        `select server_id, null as tier, min(started_at) as first from access_grants
           where user_id = $1 and livemode = $2 group by server_id
         union all
         select null, tier, min(started_at) from subscriptions join plans using (plan_id)
           where user_id = $1 and livemode = $2 group by tier`,
        [userId, livemode],
      );
      return {
        servers: new Map(rows.flatMap((row) => (row.server_id === null ? [] : [[row.server_id, row.first.getTime()]]))),
        tiers: new Map(rows.flatMap((row) => (row.tier === null ? [] : [[row.tier, row.first.getTime()]]))),
      };
    },
  };
}
