import { z } from 'zod';
import { findAuthorizationServer, plainAddress, type AuthorizationServer } from './authorization-server.ts';
import { isSameIssuer } from './known-providers.ts';
import { boundedScopes, readChallenge, scopesOf } from './read-challenge.ts';
import { readDocument } from './read-document.ts';
import type { SignInAddress } from '../sign-in-address.ts';
import type { SignInFetch } from '../sign-in-fetch.ts';
import { SignInProblem } from '../sign-in-problem.ts';

/** How to sign in at a server, according to it and its authorization server. */
export type SignInMetadata = {
  /** Resource that tokens are requested for (RFC 8707). */
  resource: string;
  scopes: readonly string[];
  authorizationServer: AuthorizationServer;
};

const resourceSchema = z.looseObject({
  resource: plainAddress.min(1),
  authorization_servers: z.array(plainAddress).min(1).max(20).optional(),
  scopes_supported: z.array(z.string()).optional(),
});

/**
 * Discovers how users sign in at a server (MCP authorization; RFC 9728, RFC 8414, OpenID Connect Discovery). No party
 * may speak for another: the resource's metadata must come from the server's own origin, and the metadata must name the
 * issuer that was asked. Whether users may be sent to that issuer is decided later (known-issuer.ts).
 * @param issuer the manifest's issuer, if any: read alone if the server names it too, or names none
 * @throws SignInProblem
 */
export async function discoverSignIn(
  { url: address, allowAddresses }: SignInAddress,
  issuer: string | undefined,
  fetch: SignInFetch,
): Promise<SignInMetadata> {
  // A WebSocket connection begins as an HTTP request to the same address (RFC 6455 section 1.3).
  const url = address.replace(/^ws/, 'http');
  const challenge = readChallenge(await askWithoutToken(url, fetch));
  const resource = await findResourceMetadata(url, challenge.metadataUrl, fetch);
  const issuers = issuersOf(url, resource?.authorization_servers, issuer);
  const authorizationServer = await findAuthorizationServer(issuers, { url, allowAddresses }, fetch);
  const scopes = challenge.scope === undefined ? boundedScopes(resource?.scopes_supported) : scopesOf(challenge.scope);
  const bound = resource?.resource ?? withoutFragment(url);
  requireBinding(bound, url, authorizationServer);
  return { resource: bound, scopes, authorizationServer };
}

/** Returns the authorization servers to try, in order. */
function issuersOf(url: string, named: readonly string[] | undefined, ofManifest: string | undefined): string[] {
  // Revision 2025-03-26 had no resource metadata: the server is its own authorization server.
  if (ofManifest === undefined) return [...new Set(named ?? [new URL(url).origin])];
  if (named === undefined) return [ofManifest];
  const same = named.find((one) => isSameIssuer(one, ofManifest));
  // another issuer is refused later, with its name
  return same === undefined ? [...new Set(named)] : [same];
}

/**
 * Refuses an authorization server whose metadata does not list the resource (RFC 9728, section 4). A server may name
 * any authorization server, even one for other services, to obtain its users' tokens; therefore tokens are requested
 * for the server's own resource (RFC 8707).
 */
function requireBinding(resource: string, url: string, server: AuthorizationServer): void {
  if (new URL(server.issuer).origin === new URL(url).origin || server.protected_resources === undefined) return;
  const isNamed = server.protected_resources.some(
    (one) => one === resource || one === `${resource}/` || `${one}/` === resource,
  );
  if (!isNamed) throw new SignInProblem(`${server.issuer} does not issue tokens for ${resource}`);
}

/** Returns the challenge of the server's 401; null after any other answer: then the well-known addresses are read. */
async function askWithoutToken(url: string, fetch: SignInFetch): Promise<string | null> {
  const answer = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' }),
  });
  return answer.status === 401 ? answer.headers.get('www-authenticate') : null;
}

async function findResourceMetadata(url: string, named: string | undefined, fetch: SignInFetch) {
  const { origin, pathname } = new URL(url);
  if (named !== undefined && URL.parse(named)?.origin !== origin) {
    throw new SignInProblem(`${new URL(url).host} points to sign-in metadata at another origin`);
  }
  const wellKnown = `${origin}/.well-known/oauth-protected-resource`;
  for (const candidate of named === undefined ? [`${wellKnown}${pathname.replace(/\/$/, '')}`, wellKnown] : [named]) {
    const body = await readDocument(candidate, fetch);
    if (body === undefined) continue;
    const parsed = resourceSchema.safeParse(body);
    if (!parsed.success) throw new SignInProblem(`${candidate} is not metadata of a protected resource`, parsed.error);
    if (!covers(parsed.data.resource, url)) throw new SignInProblem(`${candidate} describes another resource`);
    return parsed.data;
  }
  return undefined;
}

/** Returns whether a resource is this address or a parent path of it (RFC 9728 section 3.3, as MCP reads it). */
function covers(resource: string, url: string): boolean {
  const [wide, narrow] = [URL.parse(resource), new URL(url)];
  if (!wide || wide.origin !== narrow.origin) return false;
  const path = wide.pathname.endsWith('/') ? wide.pathname : `${wide.pathname}/`;
  return `${narrow.pathname}/`.startsWith(path);
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? '';
}
