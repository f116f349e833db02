import type { AllowEntry } from '#platform/http/limited-entry.ts';
import { z } from 'zod';
import { isIssuer, originsOf } from './known-providers.ts';
import { isPlain } from './plain-values.ts';
import { boundedScopes, readChallenge, scopesOf } from './read-challenge.ts';
import type { SignInAddress } from './sign-in-address.ts';
import { isSafeAddress, unsafe, type SignInFetch } from './sign-in-fetch.ts';
import { SignInProblem } from './sign-in-problem.ts';

/** How to sign in at a server, as it and its authorization server say. */
export type SignInMetadata = {
  /** What tokens are asked for (RFC 8707). */
  resource: string;
  scopes: readonly string[];
  authorizationServer: AuthorizationServer;
};

/** Bounded, and of visible characters: each stands in an address, a header or our database. */
const address = z.string().max(2048).refine(isPlain);

const resourceSchema = z.looseObject({
  resource: address.min(1),
  authorization_servers: z.array(address).min(1).max(20).optional(),
  scopes_supported: z.array(z.string()).optional(),
});

export const authorizationServerSchema = z.object({
  issuer: address,
  authorization_endpoint: address,
  token_endpoint: address,
  registration_endpoint: address.optional(),
  revocation_endpoint: address.optional(),
  scopes_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
  protected_resources: z.array(z.string()).optional(),
});
export type AuthorizationServer = z.output<typeof authorizationServerSchema>;

/**
 * Finds out how to sign in at a server (MCP authorization; RFC 9728, RFC 8414, OpenID Connect Discovery).
 * No party may speak for another: the resource's metadata comes from the server's own origin, the issuer in the metadata is
 * the one that was asked, and its endpoints are at its own origin, so that a code can only be redeemed where it was issued
 * (vercel/ai #15963, mix-up attacks).
 * @throws SignInProblem
 */
export async function discoverSignIn(
  { url: address, allowAddresses }: SignInAddress,
  fetch: SignInFetch,
): Promise<SignInMetadata> {
  // A WebSocket connection begins as an HTTP request to the same address (RFC 6455 section 1.3).
  const url = address.replace(/^ws/, 'http');
  const challenge = readChallenge(await askWithoutToken(url, fetch));
  const resource = await findResourceMetadata(url, challenge.metadataUrl, fetch);
  // Revision 2025-03-26 had no resource metadata: the server is its own authorization server.
  const issuer = resource?.authorization_servers?.[0] ?? new URL(url).origin;
  const authorizationServer = await findAuthorizationServer(issuer, { url, allowAddresses }, fetch);
  const scopes = challenge.scope === undefined ? boundedScopes(resource?.scopes_supported) : scopesOf(challenge.scope);
  const bound = resource?.resource ?? withoutFragment(url);
  requireBinding(bound, url, authorizationServer);
  return { resource: bound, scopes, authorizationServer };
}

/**
 * A server may name any authorization server, also one whose people are not its own: their tokens would come to it. They are
 * asked for under its own name (RFC 8707), and not at all where that authorization server says that it does not know it
 * (RFC 9728, section 4).
 */
function requireBinding(resource: string, url: string, server: AuthorizationServer): void {
  const { origin, host } = new URL(server.issuer);
  if (origin === new URL(url).origin || server.protected_resources === undefined) return;
  const isNamed = server.protected_resources.some(
    (one) => one === resource || one === `${resource}/` || `${one}/` === resource,
  );
  if (!isNamed) throw new SignInProblem(`${host} does not issue tokens for it`);
}

/** The challenge of the server's 401. After any other answer the well-known addresses are asked instead. */
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
    const body = await readJson(candidate, fetch);
    if (body === undefined) continue;
    const parsed = resourceSchema.safeParse(body);
    if (!parsed.success) throw new SignInProblem(`${candidate} is not metadata of a protected resource`, parsed.error);
    if (!covers(parsed.data.resource, url)) throw new SignInProblem(`${candidate} describes another resource`);
    return parsed.data;
  }
  return undefined;
}

/** A resource covers its own address and the paths below it (RFC 9728 section 3.3, as MCP reads it). */
function covers(resource: string, url: string): boolean {
  const [wide, narrow] = [URL.parse(resource), new URL(url)];
  if (!wide || wide.origin !== narrow.origin) return false;
  const path = wide.pathname.endsWith('/') ? wide.pathname : `${wide.pathname}/`;
  return `${narrow.pathname}/`.startsWith(path);
}

async function findAuthorizationServer(
  issuer: string,
  { url, allowAddresses }: SignInAddress,
  fetch: SignInFetch,
): Promise<AuthorizationServer> {
  if (!isSafeAddress(issuer, allowAddresses) || /[?#]/.test(issuer)) {
    throw new SignInProblem(`${new URL(url).host} names an authorization server that is ${unsafe}`);
  }
  const { origin, pathname } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const candidates = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]);
  for (const candidate of candidates) {
    const body = await readJson(candidate, fetch);
    if (body === undefined) continue;
    const parsed = authorizationServerSchema.safeParse(body);
    if (!parsed.success)
      throw new SignInProblem(`${candidate} is not metadata of an authorization server`, parsed.error);
    return checked(parsed.data, issuer, allowAddresses);
  }
  throw new SignInProblem(`${new URL(issuer).host} does not say how to sign in`);
}

function checked(
  server: AuthorizationServer,
  issuer: string,
  allowAddresses: readonly AllowEntry[],
): AuthorizationServer {
  const { host } = new URL(issuer);
  if (!isIssuer(server.issuer, issuer)) throw new SignInProblem(`${host} presents the metadata of another issuer`);
  const endpoints = [
    server.authorization_endpoint,
    server.token_endpoint,
    server.registration_endpoint,
    server.revocation_endpoint,
  ];
  const origins = originsOf(issuer);
  for (const endpoint of endpoints) {
    if (endpoint === undefined) continue;
    const place = URL.parse(endpoint);
    // Neither a browser nor a code goes to anything but https, so not to javascript: (mcp-remote CVE-2025-6514).
    if (!place || !isSafeAddress(endpoint, allowAddresses)) {
      throw new SignInProblem(`${host} names an endpoint that is ${unsafe}`);
    }
    if (!origins.has(place.origin)) throw new SignInProblem(`${host} names an endpoint of another origin`);
  }
  if (!server.code_challenge_methods_supported?.includes('S256')) {
    throw new SignInProblem(`${host} does not offer PKCE with S256`);
  }
  return server;
}

/**
 * Undefined when the address answers anything but 200, and when it answers with a page: many sites show theirs at every address
 * that they do not know.
 */
async function readJson(address: string, fetch: SignInFetch): Promise<unknown> {
  const answer = await fetch(address);
  if (answer.status !== 200 || isPage(answer)) return undefined;
  try {
    return await answer.json();
  } catch (error) {
    throw new SignInProblem(`${address} does not answer with JSON`, error);
  }
}

const isPage = ({ headers }: Response) =>
  headers.get('content-type')?.trim().toLowerCase().startsWith('text/html') === true;

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? '';
}
