import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import type { Clock } from '#platform/clock.ts';
import { inPages } from '#platform/db/in-pages.ts';
import { batchesAtOnce, forgetUse } from './forget-use.ts';

/** Bounds the file. Months of use at two calls a minute fit. */
const maxCalls = 50_000;

type Call = { id: string; at: Date };

/** A user's calls, newest first. Those of the last hour before a deletion go with the daily job (docs/retention.md). */
export function usageContributor({ query, clock }: { query: Query; clock: Clock }): AccountContributor {
  return {
    name: 'usage',
    export: (userId) =>
      inPages<Call>(async (last, limit) => {
        const { rows } = await query<Call>(
          `select call_id as id, created_at as at, server_id as "serverId", kind, name, outcome, reason, credits,
             duration_ms as "durationMs", calls as count
           from usage_events
           where user_id = $1 and ($2::timestamptz is null or (created_at, call_id) < ($2::timestamptz, $3::uuid))
           order by created_at desc, call_id desc limit $4`,
          [userId, last?.at ?? null, last?.id ?? null, limit],
        );
        return rows;
      }, maxCalls),
    erase: () => Promise.resolve(),
    afterErase: (userId) => forgetUse(query, userId, clock.now(), batchesAtOnce),
  };
}
