import type { Call } from '@souk/contract/usage.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';

export type CallFilter = {
  limit: number;
  cursor?: string | undefined;
  serverId?: string | undefined;
  outcome?: Call['outcome'] | undefined;
  from?: string | undefined;
  to?: string | undefined;
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

/**
 * One page of a person's calls, newest first. A page starts after the last call of the page before (by time and id), so new
 * calls do not shift it, and a late page costs as much as the first.
 * @throws SoukError invalid_request for a cursor that we have not issued
 */
export async function readCalls(
  query: Query,
  userId: string,
  filter: CallFilter,
  nameClients: NameClients,
): Promise<{ calls: Call[]; nextCursor: string | null }> {
  const after = filter.cursor === undefined ? undefined : readCursor(filter.cursor);
  const { rows } = await query<Row>(
    `select call_id, created_at, client_id, token_id, server_id, kind, name, duration_ms, outcome, reason, credits, calls,
            rounds
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
    nextCursor: rows.length > page.length && last ? `${last.created_at.toISOString()}_${last.call_id}` : null,
  };
}

/** @throws SoukError invalid_request for one that we have not issued */
export function readCursor(cursor: string): { at: string; id: string } {
  const match = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/.exec(cursor);
  const [, at = '', id = ''] = match ?? [];
  if (Number.isNaN(Date.parse(at))) throw new SoukError('invalid_request', { message: 'query.cursor: is not valid' });
  return { at, id };
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
