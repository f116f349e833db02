import type { KoaContextWithOIDC } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { queueNotice } from '#platform/notices/outbox.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { redirectHost } from './redirect-uri.ts';
import { frontendClientId } from './resources.ts';

export type TokenRequestEntities = KoaContextWithOIDC['oidc']['entities'];

/** Records a new authorization, with a notice for the user unless they have connected this client before. */
export async function beginAuthorization(
  { db, clock }: { db: Database; clock: Clock },
  { AuthorizationCode: code, Client: client, Grant: grant }: TokenRequestEntities,
  browserName: string | null,
): Promise<void> {
  if (!code?.redirectUri || !client || grant?.accountId === undefined) return;
  const at = new Date(clock.now());
  const userId = grant.accountId;
  const { clientId } = client;
  const appName = cleanLabel(client.clientName) || null;
  const host = cleanLabel(redirectHost(code.redirectUri));
  await db.transaction(async (query) => {
    const { rows } = await query<{ is_known: boolean }>(
      `insert into authorizations
         (grant_id, user_id, client_id, client_name, client_uri, redirect_host, session_uid, created_at, browser_name)
       values ($1, $2, $3, $4, $5, $6, $7, $8, $9) on conflict (grant_id) do nothing
       returning exists (select from authorizations o where o.user_id = $2 and o.client_id = $3) as is_known`,
      [
        grant.jti,
        userId,
        clientId,
        appName,
        client.clientUri ?? null,
        host,
        code.sessionUid ?? null,
        at,
        clientId === frontendClientId ? browserName : null,
      ],
    );
    const [begun] = rows;
    if (!begun || begun.is_known || clientId === frontendClientId) return;
    const facts = { app: appName ?? host, at: at.toISOString() };
    await queueNotice(query, { kind: 'app_connected', userId, event: grant.jti, facts }, at);
  });
}
