import { z } from 'zod';
import { clientName, distinctNames } from '#platform/text/client-name.ts';
import type { Query } from '#platform/db/database.ts';
import { frontendClientId } from './oauth/resources.ts';
import { knownDocuments } from './oauth/client-documents/known-documents.ts';
import { isUuid } from './users/user-store.ts';

/** A client as in a usage row: `personal` with the token's id, or the OAuth client with the grant. */
export type UsedClient = { clientId: string; tokenId: string };

const metadataSchema = z.object({ client_name: z.string().min(1) });
/** Per user; far more than any user connects. */
const maxAuthorizations = 1000;

/**
 * Names the programs that called: a personal token by the name that its owner gave, a client by the name in its
 * registration or document and the version that it reported, never by its host. Clients with the same name are
 * numbered, as among the connected apps. Names outlive revocation.
 * @returns names by tokenId; unknown clients are missing
 */
export async function nameClients(
  query: Query,
  userId: string,
  clients: readonly UsedClient[],
): Promise<ReadonlyMap<string, string>> {
  const tokenIds = clients.filter(({ clientId }) => clientId === 'personal').map(({ tokenId }) => tokenId);
  const tokens = await query<{ id: string; name: string }>(
    `select id, name from personal_tokens where user_id = $1 and id = any($2::uuid[])`,
    [userId, tokenIds.filter(isUuid)],
  );
  const byToken = new Map(tokens.rows.map(({ id, name }) => [id, name]));
  const oauth = clients.filter(({ clientId }) => clientId !== 'personal');
  if (oauth.length === 0) return byToken;
  const byGrant = await namesOfGrants(query, userId);
  const clientIds = [...new Set(oauth.filter(({ tokenId }) => !byGrant.has(tokenId)).map(({ clientId }) => clientId))];
  const byClient = await namesOfClients(query, clientIds);
  for (const { clientId, tokenId } of oauth) {
    const name = byGrant.get(tokenId) ?? byClient.get(clientId);
    if (name !== undefined) byToken.set(tokenId, name);
  }
  return byToken;
}

/** Names the connected apps, by grant; see nameClients. */
export async function namesOfGrants(query: Query, userId: string): Promise<Map<string, string>> {
  const { rows } = await query<{ grant_id: string; client_name: string | null; client_version: string | null }>(
    `select a.grant_id, a.client_name, a.client_version from authorizations a
       join oauth_records g on g.model = 'Grant' and g.id = a.grant_id and g.account_id = $1::text
     where a.user_id = $1::uuid and g.expires_at > now() and a.client_id <> '${frontendClientId}'
     order by a.created_at, a.grant_id desc limit ${maxAuthorizations}`,
    [userId],
  );
  const names = distinctNames(rows, (row) => clientName(row.client_name, row.client_version));
  return new Map([...names].map(([row, name]) => [row.grant_id, name]));
}

/** Names disconnected clients, by their registration or document. */
async function namesOfClients(query: Query, clientIds: readonly string[]): Promise<Map<string, string>> {
  const { rows } = await query<{ id: string; metadata: unknown }>(
    `select id, payload as metadata from oauth_records where model = 'Client' and id = any($1::text[])
     union all select client_id, metadata from client_documents where client_id = any($1::text[])`,
    [clientIds],
  );
  const told = new Map(rows.map(({ id, metadata }) => [id, metadataSchema.safeParse(metadata).data?.client_name]));
  return new Map(
    clientIds.flatMap((id) => {
      const name = told.get(id) ?? knownDocuments.get(id)?.client_name;
      return name === undefined ? [] : [[id, clientName(name, undefined)] as const];
    }),
  );
}
