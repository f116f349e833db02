import { z } from 'zod';
import type { Query } from '#platform/db/database.ts';
import { clientMetadata, secretMethod, type ClientIdentityOptions } from './client-document.ts';
import type { AuthorizationServer } from '../issuers/authorization-server.ts';
import { clientSchema, type Binding, type OAuthClient } from '../tokens/oauth-client.ts';
import { isPlain, secondsAfter } from '../tokens/plain-values.ts';
import type { SignInFetch } from '../sign-in-fetch.ts';
import { SignInProblem } from '../sign-in-problem.ts';

/** Age at which a registration is renewed: its authorization server may have deleted it without notice. */
const reuseMs = 24 * 60 * 60_000;
const table = 'upstream_registrations';

/** A text that is valid in addresses, headers and our database. */
const plain = z.string().refine(isPlain);
const registeredSchema = z.object({
  client_id: plain.min(1).max(2048),
  client_secret: plain.max(4096).optional(),
  // the lifetime is read separately, so that an odd value does not fail the registration
  client_secret_expires_at: z.unknown().optional(),
  token_endpoint_auth_method: z.string().optional(),
});

/** Key of a registration. It belongs to one server and one authorization server: servers could abuse a shared one. */
export type RegistrationPlace = { serverId: string; server: AuthorizationServer; redirectUri: string };

type Row = { id: string; client_id: string; sealed_secret: string | null; auth_method: string };

export async function findRegistration(
  { serverId, server, redirectUri }: RegistrationPlace,
  { db, vault, clock }: ClientIdentityOptions,
): Promise<OAuthClient | undefined> {
  const nowMs = clock.now();
  const { rows } = await db.query<Row>(
    `select id, client_id, sealed_secret, auth_method from upstream_registrations
     where server_id = $1 and issuer = $2 and token_endpoint = $3 and redirect_uri = $4 and created_at > $5
       and (expires_at is null or expires_at > $6)`,
    [serverId, server.issuer, server.token_endpoint, redirectUri, new Date(nowMs - reuseMs), new Date(nowMs)],
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

/**
 * Deletes the registration of a client that its authorization server no longer knows, so that the next sign-in registers
 * again. Keeps a newer registration, and a client of the operator, which we cannot register.
 */
export async function forgetRegistration(
  serverId: string,
  { server, client }: Pick<Binding, 'server' | 'client'>,
  { db }: Pick<ClientIdentityOptions, 'db'>,
): Promise<void> {
  if (client.isOperators === true) return;
  await db.query(
    `delete from upstream_registrations
     where server_id = $1 and issuer = $2 and token_endpoint = $3 and client_id = $4`,
    [serverId, server.issuer, server.token_endpoint, client.clientId],
  );
}

/** Deletes all registrations at a server. Existing accounts keep the client that is sealed with their tokens. */
export async function dropRegistrations(query: Query, serverId: string): Promise<number> {
  const { affectedRows } = await query('delete from upstream_registrations where server_id = $1', [serverId]);
  return affectedRows;
}

export async function registeredAt(query: Query, serverId: string): Promise<Date | undefined> {
  const { rows } = await query<{ at: Date | null }>(
    'select max(created_at) as at from upstream_registrations where server_id = $1',
    [serverId],
  );
  return rows[0]?.at ?? undefined;
}

/** Registers our client (RFC 7591) and stores the registration. @throws SignInProblem */
export async function register(
  place: RegistrationPlace & { endpoint: string },
  options: ClientIdentityOptions,
  fetch: SignInFetch,
): Promise<OAuthClient> {
  const { server, redirectUri } = place;
  const { host } = new URL(server.issuer);
  const methods = server.token_endpoint_auth_methods_supported;
  const asPublic = methods === undefined || methods.includes('none');
  const answer = await fetch(place.endpoint, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      ...clientMetadata(options, [redirectUri]),
      token_endpoint_auth_method: asPublic ? 'none' : secretMethod(server),
    }),
  });
  const body: unknown = await answer.json().catch(() => undefined);
  if (!answer.ok) throw new SignInProblem(`${host} refused to register us (HTTP ${answer.status})`);
  const parsed = registeredSchema.safeParse(body);
  if (!parsed.success) throw new SignInProblem(`${host} registered us with an invalid client`, parsed.error);
  const registered = parsed.data;
  const client = clientSchema.safeParse({
    clientId: registered.client_id,
    authMethod:
      registered.client_secret === undefined ? 'none' : (registered.token_endpoint_auth_method ?? secretMethod(server)),
    ...(registered.client_secret !== undefined && { clientSecret: registered.client_secret }),
  });
  if (!client.success) throw new SignInProblem(`${host} requires a client authentication that we do not support`);
  await store(place, client.data, registered.client_secret_expires_at, options);
  return client.data;
}

async function store(
  { serverId, server, redirectUri }: RegistrationPlace,
  client: OAuthClient,
  expiresAt: unknown,
  { db, vault, clock, ids }: ClientIdentityOptions,
): Promise<void> {
  const id = ids.uuid();
  const sealed =
    client.clientSecret === undefined ? null : vault.seal({ table, row: id, userId: '' }, client.clientSecret);
  const now = new Date(clock.now());
  await db.query(
    `insert into upstream_registrations
       (id, server_id, issuer, token_endpoint, redirect_uri, client_id, sealed_secret, auth_method, expires_at, created_at)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)
     on conflict (server_id, issuer, token_endpoint, redirect_uri) do update set id = excluded.id,
       client_id = excluded.client_id, sealed_secret = excluded.sealed_secret, auth_method = excluded.auth_method,
       expires_at = excluded.expires_at, created_at = excluded.created_at`,
    [
      id,
      serverId,
      server.issuer,
      server.token_endpoint,
      redirectUri,
      client.clientId,
      sealed,
      client.authMethod,
      // 0 means never (RFC 7591 section 3.2.1)
      secondsAfter(0, expiresAt) ?? null,
      now,
    ],
  );
}
