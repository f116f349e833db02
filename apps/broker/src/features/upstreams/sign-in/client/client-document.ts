import type { Clock } from '#platform/clock.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { AuthorizationServer } from '../issuers/authorization-server.ts';
import type { OAuthClient } from '../tokens/oauth-client.ts';

export type ClientIdentityOptions = {
  db: Database;
  vault: Vault;
  clock: Clock;
  ids: Ids;
  publicUrl: string;
  brandName: string;
};

/**
 * The address of our own metadata document (draft-ietf-oauth-client-id-metadata-document): https only. Each server has one of
 * its own, so that no consent that a person gave for one server counts for another.
 */
export function clientDocumentPath(serverId: string): string {
  return `/client-metadata/${serverId}.json`;
}

/**
 * Where people are sent back to. An authorization server that does not say who answers (RFC 9207) gets an address of its own,
 * which says it (RFC 9700, section 4.4.2.2): else a hostile one could have another's code sent to itself. A client that the
 * operator registered keeps the address that is registered there.
 */
export function redirectUriOf(publicUrl: string, distinct?: { serverId: string }): string {
  const shared = `${publicUrl}/connect/callback`;
  return distinct ? `${shared}?server=${distinct.serverId}` : shared;
}

/** What we tell authorization servers about ourselves. */
export function clientMetadata(
  { publicUrl, brandName }: Pick<ClientIdentityOptions, 'publicUrl' | 'brandName'>,
  redirectUris: readonly string[],
) {
  return {
    client_name: brandName,
    client_uri: publicUrl,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    // A web client may redirect to https only (OpenID Connect Registration, section 2); plain http is this machine.
    application_type: publicUrl.startsWith('https:') ? 'web' : 'native',
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

/** How a client shows its secret. */
export function secretMethod(server: AuthorizationServer): OAuthClient['authMethod'] {
  // Absent means basic (RFC 8414 section 2).
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post';
}
