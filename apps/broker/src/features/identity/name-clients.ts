import { z } from 'zod';
import type { Query } from '#platform/db/database.ts';
import { isUuid } from './users/user-store.ts';

/** A client as a usage row knows it: `personal` and the token's id, or the OAuth client and the grant. */
export type UsedClient = { clientId: string; tokenId: string };

const metadataSchema = z.object({ client_name: z.string().min(1) });

/**
 * What to call the programs that called: a personal token by the name that its owner gave, a registered client by the
 * name that it gave itself, one with a metadata document by the host that publishes it. Names outlive revocation.
 * @returns by tokenId; without those that are not known any more
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
  const registered = await query<{ id: string; payload: unknown }>(
    `select id, payload from oauth_records where model = 'Client' and id = any($1::text[])`,
    [[...new Set(clients.map(({ clientId }) => clientId))]],
  );
  const byToken = new Map(tokens.rows.map(({ id, name }) => [id, name]));
  const byClient = new Map(registered.rows.map(({ id, payload }) => [id, metadataSchema.safeParse(payload).data]));
  return new Map(
    clients.flatMap(({ clientId, tokenId }) => {
      const name = byToken.get(tokenId) ?? byClient.get(clientId)?.client_name ?? URL.parse(clientId)?.host;
      return name ? [[tokenId, name] as const] : [];
    }),
  );
}
