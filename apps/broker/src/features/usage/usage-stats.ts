import type { Query } from '#platform/db/database.ts';

export type UsageStats = {
  totalCreditsUsed: number;
  totalToolCalls: number;
  usageByMcp: { mcpId: string; toolCalls: number; averageCost: number; totalCredits: number }[];
  lastCallAt: string | null;
};

/** What one person used since `since`, by server. Prompts and resources are not counted as tool calls, but as a last call. */
export async function readUsageStats(query: Query, userId: string, since: Date): Promise<UsageStats> {
  const { rows } = await query<{ server_id: string | null; calls: number; credits: number; last_at: Date }>(
    `select server_id, coalesce(sum(calls) filter (where kind = 'tool'), 0)::bigint as calls, coalesce(sum(credits), 0)::bigint as credits,
            max(created_at) as last_at
       from usage_events where user_id = $1 and created_at >= $2
      group by server_id order by calls desc, server_id`,
    [userId, since.toISOString()],
  );
  // what belongs to no server is no use of one
  const used = rows.flatMap(({ server_id: mcpId, ...row }) =>
    mcpId !== null && row.calls > 0 ? [{ mcpId, ...row }] : [],
  );
  const last = Math.max(...rows.map(({ last_at: at }) => at.getTime()));
  return {
    totalCreditsUsed: used.reduce((sum, { credits }) => sum + credits, 0),
    totalToolCalls: used.reduce((sum, { calls }) => sum + calls, 0),
    usageByMcp: used.map(({ mcpId, calls, credits }) => ({
      mcpId,
      toolCalls: calls,
      averageCost: credits / calls,
      totalCredits: credits,
    })),
    lastCallAt: Number.isFinite(last) ? new Date(last).toISOString() : null,
  };
}
