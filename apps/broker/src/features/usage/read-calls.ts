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

/** Reads the names of clients and personal tokens as their owner knows them, by tokenId. */
export type NameClients = (
  userId: string,
  clients: readonly { clientId: string; tokenId: string }[],
) => Promise<ReadonlyMap<string, string>>;

type Row = Omit<Call, 'at' | 'client'> & { at: Date; client_id: string; token_id: string };

const columns = `call_id as id, created_at as at, client_id, token_id, server_id as "serverId", kind, name,
  duration_ms as "durationMs", outcome, reason, credits, calls as count, rounds`;

/**
 * Reads one page of a user's calls, newest first. A page starts after the last call of the previous page (by time and id), so
 * new calls do not shift it, and a late page costs as much as the first.
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
  const last = page.at(-1);
  return {
    calls: await presentAll(page, userId, nameClients),
    nextCursor: rows.length > page.length && last ? writeCursor(last) : null,
  };
}

/** Reads calls of a user by their ids, newest first. @param period when they ended: calls are found by time first */
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
  return presentAll(rows, userId, nameClients);
}

/** Kinds of clients by id. All others are connected apps. */
const kindsOfClient: Readonly<Record<string, Call['client']['kind']>> = { personal: 'token', frontend: 'web' };
const namelessTexts: Readonly<Record<Call['client']['kind'], string>> = {
  client: 'Disconnected client',
  token: 'Deleted token',
  web: 'This website',
};

async function presentAll(rows: readonly Row[], userId: string, nameClients: NameClients): Promise<Call[]> {
  const used = new Map(rows.map((row) => [row.token_id, { clientId: row.client_id, tokenId: row.token_id }]));
  const names = await nameClients(userId, [...used.values()]);
  return rows.map(({ at, client_id: clientId, token_id: tokenId, ...call }) => {
    const kind = kindsOfClient[clientId] ?? 'client';
    const client = { kind, name: names.get(tokenId) ?? namelessTexts[kind] };
    return { ...call, at: at.toISOString(), client };
  });
}
