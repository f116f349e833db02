import { writeCursor, type Place } from '@souk/contract/times.ts';
import type { Call } from '@souk/contract/usage.ts';
import type { Query } from '#platform/db/database.ts';

export type CallFilter = {
  limit: number;
  cursor?: Place | undefined;
  serverId?: string | undefined;
  outcome?: Call['outcome'] | undefined;
  from?: Date | undefined;
  to?: Date | undefined;
};

/** Names of clients and personal tokens as their owner knows them, by tokenId. */
export type NameClients = (
  userId: string,
  clients: readonly { clientId: string; tokenId: string }[],
) => Promise<ReadonlyMap<string, string>>;

type Row = {
  call_id: string;
  created_at: Date;
  client_id: string;
  token_id: string;
  server_id: string | null;
  kind: Call['kind'];
  name: string;
  duration_ms: number;
  outcome: Call['outcome'];
  reason: string | null;
  credits: number;
  calls: number;
  rounds: number;
};

const columns = `call_id, created_at, client_id, token_id, server_id, kind, name, duration_ms, outcome, reason, credits,
  calls, rounds`;

/**
 * One page of a person's calls, newest first. A page starts after the last call of the page before (by time and id), so new
 * calls do not shift it, and a late page costs as much as the first.
 */
export async function readCalls(
  query: Query,
  userId: string,
  filter: CallFilter,
  nameClients: NameClients,
): Promise<{ calls: Call[]; nextCursor: string | null }> {
  const after = filter.cursor;
  const { rows } = await query<Row>(
    `select ${columns}
       from usage_events
      where user_id = $1
        and ($2::timestamptz is null or (created_at, call_id) < ($2::timestamptz, $3::uuid))
        and ($4::text is null or server_id = $4)
        and ($5::text is null or outcome = $5)
        and ($6::timestamptz is null or created_at >= $6)
        and ($7::timestamptz is null or created_at < $7)
      order by created_at desc, call_id desc
      limit $8`,
    [
      userId,
      after?.at ?? null,
      after?.id ?? null,
      filter.serverId ?? null,
      filter.outcome ?? null,
      filter.from ?? null,
      filter.to ?? null,
      filter.limit + 1,
    ],
  );
  const page = rows.slice(0, filter.limit);
  const used = new Map(page.map((row) => [row.token_id, { clientId: row.client_id, tokenId: row.token_id }]));
  const names = await nameClients(userId, [...used.values()]);
  const last = page.at(-1);
  return {
    calls: page.map((row) => present(row, names)),
    nextCursor: rows.length > page.length && last ? writeCursor({ at: last.created_at, id: last.call_id }) : null,
  };
}

/**
 * Calls of a person by their ids, newest first. @param period when they ended: a call is found by its time first
 */
export async function readCallsById(
  query: Query,
  userId: string,
  callIds: readonly string[],
  period: { from: Date; to: Date },
  nameClients: NameClients,
): Promise<Call[]> {
  if (callIds.length === 0) return [];
  const { rows } = await query<Row>(
    `select ${columns} from usage_events
     where user_id = $1 and credits > 0 and call_id = any($2::uuid[]) and created_at >= $3 and created_at <= $4
     order by created_at desc, call_id desc`,
    [userId, callIds, period.from, period.to],
  );
  const used = new Map(rows.map((row) => [row.token_id, { clientId: row.client_id, tokenId: row.token_id }]));
  const names = await nameClients(userId, [...used.values()]);
  return rows.map((row) => present(row, names));
}

/** By the client's id; every other is a client that a person connected. */
const kindsOfClient: Readonly<Record<string, Call['client']['kind']>> = { personal: 'token', frontend: 'web' };
const namelessTexts: Readonly<Record<Call['client']['kind'], string>> = {
  client: 'Disconnected client',
  token: 'Deleted token',
  web: 'This website',
};

function present(row: Row, names: ReadonlyMap<string, string>): Call {
  const kind = kindsOfClient[row.client_id] ?? 'client';
  return {
    id: row.call_id,
    at: row.created_at.toISOString(),
    client: { kind, name: names.get(row.token_id) ?? namelessTexts[kind] },
    serverId: row.server_id,
    kind: row.kind,
    name: row.name,
    durationMs: row.duration_ms,
    outcome: row.outcome,
    reason: row.reason,
    credits: row.credits,
    count: row.calls,
    rounds: row.rounds,
  };
}
