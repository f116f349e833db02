import { isSameSite } from '#platform/http/outgoing/same-site.ts';
import { endpointsOf } from './authorization-server.ts';
import type { Pair } from './issuer-place.ts';
import { isKnownPair, originsOf } from './known-providers.ts';

/**
 * Reason why users are not sent to an authorization server until an administrator confirms it:
 * - other-site: it is on another site than the server. A hostile server can name the authorization server of another
 *   service; one that ignores `resource` (RFC 8707) then issues tokens for that service, which go to the hostile
 *   server.
 * - other-origins: it has endpoints at other origins, to which codes and secrets go.
 * - no-pkce: its metadata does not mention PKCE. MCP clients have to refuse such servers, but some large ones support
 *   PKCE without saying so.
 */
export type Doubt = 'other-site' | 'other-origins' | 'no-pkce';

/** @param endpointOrigins origins at which the manifest allows endpoints of the authorization server */
export function doubtsOf({ resource, server }: Pair, endpointOrigins: readonly string[] = []): Doubt[] {
  const { issuer } = server;
  const isOwn = isSameSite(new URL(resource).hostname, new URL(issuer).hostname) || isKnownPair(resource, issuer);
  const origins = new Set([...originsOf(issuer), ...endpointOrigins]);
  const isElsewhere = endpointsOf(server).some((endpoint) => !origins.has(new URL(endpoint).origin));
  return [
    ...(isOwn ? [] : (['other-site'] as const)),
    ...(isElsewhere ? (['other-origins'] as const) : []),
    ...(server.code_challenge_methods_supported === undefined ? (['no-pkce'] as const) : []),
  ];
}
