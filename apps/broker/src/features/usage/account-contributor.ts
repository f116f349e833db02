import type { AccountContributor } from '#features/identity/index.ts';
import type { Query } from '#platform/db/database.ts';
import type { Clock } from '#platform/clock.ts';
import { inPages } from '#platform/db/in-pages.ts';
import { batchesAtOnce, forgetUse } from './forget-use.ts';

/** Bounds the file. Months of use at two calls a minute fit. */
const maxCalls = 50_000;

type CallRow = {
  call_id: string;
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

type Call = ReturnType<typeof present>;

const present = (row: CallRow) => ({
  id: row.call_id,
  at: row.created_at,
  serverId: row.server_id,
  kind: row.kind,
  name: row.name,
  outcome: row.outcome,
  reason: row.reason,
  credits: row.credits,
  durationMs: row.duration_ms,
  count: row.calls,
});

/** A person's calls, newest first. Those of the last hour before a deletion go with the daily job (docs/retention.md). */
export function usageContributor({ query, clock }: { query: Query; clock: Clock }): AccountContributor {
  return {
    name: 'usage',
    export: (userId) =>
      inPages<Call>(async (last, limit) => {
        const { rows } = await query<CallRow>(
          `select call_id, created_at, server_id, kind, name, outcome, reason, credits, duration_ms, calls from usage_events
           where user_id = $1 and ($2::timestamptz is null or (created_at, call_id) < ($2::timestamptz, $3::uuid))
           order by created_at desc, call_id desc limit $4`,
          [userId, last?.at ?? null, last?.id ?? null, limit],
        );
        return rows.map(present);
      }, maxCalls),
    erase: () => Promise.resolve(),
    afterErase: (userId) => forgetUse(query, userId, clock.now(), batchesAtOnce),
  };
}
