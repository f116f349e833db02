import type { StoreParts } from '../account-store.ts';
import type { AuthorizationServer } from '../issuers/authorization-server.ts';
import type { OAuthClient } from '../tokens/oauth-client.ts';

export type ClientIdentityOptions = StoreParts & { publicUrl: string; brandName: string };

/**
 * Returns the path of our metadata document (draft-ietf-oauth-client-id-metadata-document), which needs https. Each server
 * has its own, so that a user's consent for one server does not count for another.
 */
export function clientDocumentPath(serverId: string): string {
  return `/client-metadata/${serverId}.json`;
}

/**
 * Returns the redirect URI. For an authorization server that does not name itself in its answer (RFC 9207), each server
 * has a distinct one (RFC 9700, section 4.4.2.2); otherwise a hostile server could obtain another's code. A client that
 * the operator registered has the shared one, which is registered there.
 */
export function redirectUriOf(publicUrl: string, distinct?: { serverId: string }): string {
  const shared = `${publicUrl}/connect/callback`;
  return distinct ? `${shared}?server=${distinct.serverId}` : shared;
}

export function clientMetadata(
  { publicUrl, brandName }: Pick<ClientIdentityOptions, 'publicUrl' | 'brandName'>,
  redirectUris: readonly string[],
) {
  return {
    client_name: brandName,
    client_uri: publicUrl,
    redirect_uris: redirectUris,
    grant_types: ['authorization_code', 'refresh_token'],
    // A web client may only redirect to https (OpenID Connect Registration, section 2). With plain http, we are on this
    // machine.
    application_type: publicUrl.startsWith('https:') ? 'web' : 'native',
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
}

export function secretMethod(server: AuthorizationServer): OAuthClient['authMethod'] {
  // Absent means basic (RFC 8414 section 2).
  const methods = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
  return methods.includes('client_secret_basic') ? 'client_secret_basic' : 'client_secret_post';
}
