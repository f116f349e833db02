import { z } from 'zod';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { AuthorizationServer } from './discover-sign-in.ts';
import { clientSchema, type OAuthClient } from './oauth-client.ts';
import type { SignInFetch } from './sign-in-fetch.ts';
import { SignInProblem } from './sign-in-problem.ts';

/** An authorization server may delete a client without notice: after a day, a new sign-in registers again. */
const reuseMs = 24 * 60 * 60_000;
const table = 'upstream_clients';

const registeredSchema = z.object({
  client_id: z.string().min(1).max(2048),
  client_secret: z.string().max(4096).optional(),
  client_secret_expires_at: z.number().optional(),
  token_endpoint_auth_method: z.string().optional(),
});

export type ClientIdentityOptions = {
  db: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  publicUrl: string;
  brandName: string;
};

/** The address of our own metadata document (draft-ietf-oauth-client-id-metadata-document): https only. */
export const clientDocumentPath = '/client-metadata.json';

export function redirectUriOf(publicUrl: string): string {
  return `${publicUrl}/connect/callback`;
}

/** What we tell authorization servers about ourselves. */
export function clientMetadata({ publicUrl, brandName }: Pick<ClientIdentityOptions, 'publicUrl' | 'brandName'>) {
  return {
    client_name: brandName,
    client_uri: publicUrl,
    redirect_uris: [redirectUriOf(publicUrl)],
    grant_types: ['authorization_code', 'refresh_token'],
    // A web client may redirect to https only (OpenID Connect Registration, section 2); plain http is this machine.
    application_type: publicUrl.startsWith('https:') ? 'web' : 'native',
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/**
 * Our client at an authorization server: the one that the operator has registered, else our metadata document where the server
 * supports that, else a registration (RFC 7591), stored per issuer.
 * @param configured the operator's client id with the secret for it, if any
 * @param variable where the operator sets that id
 * @throws SignInProblem when none of these is possible
 */
export async function clientFor(
  server: AuthorizationServer,
  configured: { clientId: string; clientSecret: string | undefined } | undefined,
  options: ClientIdentityOptions,
  fetch: SignInFetch,
  variable: string,
): Promise<OAuthClient> {
  if (configured) {
    const { clientId, clientSecret } = configured;
    if (clientSecret === undefined) return { clientId, authMethod: 'none' };
    return { clientId, clientSecret, authMethod: secretMethod(server) };
  }
  if (server.client_id_metadata_document_supported === true && options.publicUrl.startsWith('https:')) {
    return { clientId: `${options.publicUrl}${clientDocumentPath}`, authMethod: 'none' };
  }
  return (await findRegistration(server.issuer, options)) ?? register(server, options, fetch, variable);
}

function secretMethod(server: AuthorizationServer): OAuthClient['authMethod'] {
  // Absent means basic (RFC 8414 section 2).
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post';
}

type Row = { id: string; client_id: string; sealed_secret: string | null; auth_method: string };

async function findRegistration(
  issuer: string,
  { db, vault, clock, publicUrl }: ClientIdentityOptions,
): Promise<OAuthClient | undefined> {
  const nowMs = clock.now();
  const { rows } = await db.query<Row>(
    `select id, client_id, sealed_secret, auth_method from upstream_clients
     where issuer = $1 and redirect_uri = $2 and created_at > $3 and (expires_at is null or expires_at > $4)`,
    [issuer, redirectUriOf(publicUrl), new Date(nowMs - reuseMs), new Date(nowMs)],
  );
  const [row] = rows;
  if (!row) return undefined;
  return clientSchema.parse({
    clientId: row.client_id,
    authMethod: row.auth_method,
    ...(row.sealed_secret !== null && {
      clientSecret: vault.open({ table, row: row.id, userId: '' }, row.sealed_secret),
    }),
  });
}

async function register(
  server: AuthorizationServer,
  options: ClientIdentityOptions,
  fetch: SignInFetch,
  variable: string,
): Promise<OAuthClient> {
  const { host } = new URL(server.issuer);
  if (server.registration_endpoint === undefined) {
    throw new SignInProblem(`${host} needs a client that the operator registers there (${variable}), and none is set`);
  }
  const methods = server.token_endpoint_auth_methods_supported;
  const asPublic = methods === undefined || methods.includes('none');
  const answer = await fetch(server.registration_endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...clientMetadata(options),
      token_endpoint_auth_method: asPublic ? 'none' : secretMethod(server),
    }),
  });
  const parsed = registeredSchema.safeParse(await answer.json().catch(() => undefined));
  if (!answer.ok || !parsed.success) throw new SignInProblem(`${host} refused to register us (HTTP ${answer.status})`);
  const registered = parsed.data;
  const client = clientSchema.safeParse({
    clientId: registered.client_id,
    authMethod:
      registered.client_secret === undefined ? 'none' : (registered.token_endpoint_auth_method ?? secretMethod(server)),
    ...(registered.client_secret !== undefined && { clientSecret: registered.client_secret }),
  });
  if (!client.success) throw new SignInProblem(`${host} requires a client authentication that we do not support`);
  await keep(server.issuer, client.data, registered.client_secret_expires_at, options);
  return client.data;
}

async function keep(
  issuer: string,
  client: OAuthClient,
  expiresAtSeconds: number | undefined,
  { db, vault, clock, ids, publicUrl }: ClientIdentityOptions,
): Promise<void> {
  const id = ids.uuid();
  // 0 means never (RFC 7591 section 3.2.1).
  const expiresAt = expiresAtSeconds ? new Date(expiresAtSeconds * 1000) : null;
  const sealed =
    client.clientSecret === undefined ? null : vault.seal({ table, row: id, userId: '' }, client.clientSecret);
  await db.query(
    `insert into upstream_clients (id, issuer, redirect_uri, client_id, sealed_secret, auth_method, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (issuer, redirect_uri) do update set id = excluded.id, client_id = excluded.client_id,
       sealed_secret = excluded.sealed_secret, auth_method = excluded.auth_method, expires_at = excluded.expires_at,
       created_at = excluded.created_at`,
    [
      id,
      issuer,
      redirectUriOf(publicUrl),
      client.clientId,
      sealed,
      client.authMethod,
      expiresAt,
      new Date(clock.now()),
    ],
  );
}
