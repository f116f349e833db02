import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';

/** Bounds the file. Months of use at two calls a minute fit. */
const maxCalls = 50_000;

type CallRow = {
  created_at: Date;
  server_id: string;
  kind: string;
  name: string;
  outcome: string;
  reason: string | null;
  credits: number;
  duration_ms: number;
  calls: number;
};

/** A person's calls, newest first. After a deletion they stay under the user id, which then identifies no person. */
export function usageContributor({ query }: { query: Query }): AccountContributor {
  return {
    name: 'usage',
    async export(userId) {
      const { rows } = await query<CallRow>(
        `select created_at, server_id, kind, name, outcome, reason, credits, duration_ms, calls from usage_events
         where user_id = $1 order by created_at desc limit $2`,
        [userId, maxCalls],
      );
      return rows.map((row) => ({
        at: row.created_at,
        serverId: row.server_id,
        kind: row.kind,
        name: row.name,
        outcome: row.outcome,
        reason: row.reason,
        credits: row.credits,
        durationMs: row.duration_ms,
        count: row.calls,
      }));
    },
    erase: () => Promise.resolve(),
  };
}
