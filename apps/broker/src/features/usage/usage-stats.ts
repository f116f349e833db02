import type { Query } from '#platform/db/database.ts';

export type UsageStats = {
  totalCreditsUsed: number;
  totalToolCalls: number;
  answeredToolCalls: number;
  usageByMcp: {
    mcpId: string;
    toolCalls: number;
    answeredToolCalls: number;
    averageCost: number;
    totalCredits: number;
  }[];
  lastCallAt: string | null;
  lastAnsweredAt: string | null;
};

/** A tool's own error is an answer of its server; of a built-in tool it is a refusal of ours, and belongs to no server. */
const isAnswered = `(outcome = 'ok' or (reason = 'tool_error' and server_id is not null))`;

/** What one person used since `since`, by server. Prompts and resources are not counted as tool calls, but as a last call. */
export async function readUsageStats(query: Query, userId: string, since: Date): Promise<UsageStats> {
  const { rows } = await query<{
    server_id: string | null;
    calls: number;
    answered: number;
    credits: number;
    last_at: Date;
    last_answered_at: Date | null;
  }>(
    `select server_id, coalesce(sum(calls) filter (where kind = 'tool'), 0)::bigint as calls,
            coalesce(sum(calls) filter (where kind = 'tool' and ${isAnswered}), 0)::bigint as answered,
            coalesce(sum(credits), 0)::bigint as credits,
            max(created_at) as last_at, max(created_at) filter (where ${isAnswered}) as last_answered_at
       from usage_events where user_id = $1 and created_at >= $2
      group by server_id order by calls desc, server_id`,
    [userId, since.toISOString()],
  );
  // what belongs to no server is no use of one
  const used = rows.flatMap(({ server_id: mcpId, ...row }) =>
    mcpId !== null && row.calls > 0 ? [{ mcpId, ...row }] : [],
  );
  return {
    totalCreditsUsed: used.reduce((sum, { credits }) => sum + credits, 0),
    totalToolCalls: used.reduce((sum, { calls }) => sum + calls, 0),
    answeredToolCalls: used.reduce((sum, { answered }) => sum + answered, 0),
    usageByMcp: used.map(({ mcpId, calls, answered, credits }) => ({
      mcpId,
      toolCalls: calls,
      answeredToolCalls: answered,
      averageCost: credits / calls,
      totalCredits: credits,
    })),
    lastCallAt: latest(rows.map(({ last_at: at }) => at)),
    lastAnsweredAt: latest(rows.map(({ last_answered_at: at }) => at)),
  };
}

function latest(moments: readonly (Date | null)[]): string | null {
  const times = moments.flatMap((moment) => (moment ? [moment.getTime()] : []));
  return times.length === 0 ? null : new Date(Math.max(...times)).toISOString();
}
