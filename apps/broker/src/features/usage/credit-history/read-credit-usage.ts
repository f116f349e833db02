import type { CreditUsage } from '@souk/contract/billing/billing-history.ts';
import type { Place } from '@souk/contract/times.ts';
import type { Query } from '#platform/db/database.ts';
import type { Period } from '#platform/http/period.ts';

/** Pages are counted up to this many calls. Older calls are found by the period. */
const maxCounted = 10_000;

type Row = { call_id: string; server_id: string | null; name: string; credits: number; created_at: Date };

/** Calls charged with credits of real payments, or of the sandbox, but not both. Uses the index usage_events_paid. */
const paidCalls = `
  from usage_events u
  where u.user_id = $1 and u.credits > 0 and u.created_at >= $3 and u.created_at < $4 and u.livemode = $2`;

/** Reads what a user's calls cost, newest first: one page, or what follows `after`. Arguments and results are not stored. */
export async function readCreditUsage(
  query: Query,
  of: { userId: string; livemode: boolean; period: Period },
  page: { limit: number; offset: number; after?: Place | undefined },
): Promise<CreditUsage[]> {
  const { rows } = await query<Row>(
    `select u.call_id, u.server_id, u.name, u.credits, u.created_at ${paidCalls}
       and ($7::timestamptz is null or (u.created_at, u.call_id) < ($7::timestamptz, $8::uuid))
     order by u.created_at desc, u.call_id desc limit $5 offset $6`,
    [...valuesOf(of), page.limit, Math.min(page.offset, maxCounted), page.after?.at ?? null, page.after?.id ?? null],
  );
  return rows.map((row) => ({
    id: row.call_id,
    mcpId: row.server_id,
    toolName: row.name,
    amount: row.credits,
    timestamp: row.created_at.toISOString(),
    // MCP has no field for a server's tokens
    metadata: {},
  }));
}

export async function countCreditUsage(
  query: Query,
  of: { userId: string; livemode: boolean; period: Period },
): Promise<number> {
  const { rows } = await query<{ calls: number }>(
    `select count(*) as calls from (select ${paidCalls} limit $5) counted`,
    [...valuesOf(of), maxCounted],
  );
  return rows[0]?.calls ?? 0;
}

function valuesOf({ userId, livemode, period }: { userId: string; livemode: boolean; period: Period }): unknown[] {
  return [userId, livemode, period.from.toISOString(), period.to.toISOString()];
}
