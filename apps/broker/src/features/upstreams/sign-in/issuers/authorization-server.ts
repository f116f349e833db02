import { z } from 'zod';
import type { AllowEntry } from '#platform/http/outgoing/limited-entry.ts';
import { isIssuer } from './known-providers.ts';
import { isPlain } from '../tokens/plain-values.ts';
import { readDocument } from './read-document.ts';
import { isSafeAddress, unsafe, type SignInFetch } from '../sign-in-fetch.ts';
import { NoAnswer, SignInProblem } from '../sign-in-problem.ts';

/** A bounded text of visible characters, valid in addresses, headers and our database. */
export const plainAddress = z.string().max(2048).refine(isPlain);

export const authorizationServerSchema = z.object({
  issuer: plainAddress,
  authorization_endpoint: plainAddress,
  token_endpoint: plainAddress,
  registration_endpoint: plainAddress.optional(),
  revocation_endpoint: plainAddress.optional(),
  scopes_supported: z.array(z.string()).optional(),
  code_challenge_methods_supported: z.array(z.string()).optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).optional(),
  authorization_response_iss_parameter_supported: z.boolean().optional(),
  client_id_metadata_document_supported: z.boolean().optional(),
  protected_resources: z.array(z.string()).optional(),
});
export type AuthorizationServer = z.output<typeof authorizationServerSchema>;

/** Deadline per request to an authorization server if there is another one to try. */
const timeoutMs = 4_000;

/**
 * Reads the metadata of the first of these authorization servers that answers. Skips servers that are unreachable or have
 * none, but not those with invalid metadata: a server must not be able to hide that behind another one.
 * @throws SignInProblem
 */
export async function findAuthorizationServer(
  issuers: readonly string[],
  { url, allowAddresses }: { url: string; allowAddresses: readonly AllowEntry[] },
  fetch: SignInFetch,
): Promise<AuthorizationServer> {
  const failures: unknown[] = [];
  for (const [index, issuer] of issuers.entries()) {
    if (!isSafeAddress(issuer, allowAddresses) || /[?#]/.test(issuer)) {
      throw new SignInProblem(`${new URL(url).host} names ${issuer}, an authorization server that is ${unsafe}`);
    }
    const isLast = index === issuers.length - 1;
    const withTimeout: SignInFetch = (address, init) => fetch(address, { ...init, ...(!isLast && { timeoutMs }) });
    try {
      return await readMetadata(issuer, allowAddresses, withTimeout);
    } catch (error) {
      if (error instanceof SignInProblem && !(error instanceof NoAnswer)) throw error;
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  throw new NoAnswer(`none of its authorization servers answers: ${issuers.join(', ')}`, new AggregateError(failures));
}

async function readMetadata(
  issuer: string,
  allowAddresses: readonly AllowEntry[],
  fetch: SignInFetch,
): Promise<AuthorizationServer> {
  const { origin, pathname, host } = new URL(issuer);
  const path = pathname.replace(/\/$/, '');
  const candidates = new Set([
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}/.well-known/openid-configuration${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]);
  for (const candidate of candidates) {
    const body = await readDocument(candidate, fetch);
    if (body === undefined) continue;
    const parsed = authorizationServerSchema.safeParse(body);
    if (!parsed.success)
      throw new SignInProblem(`${candidate} is not metadata of an authorization server`, parsed.error);
    return checked(parsed.data, issuer, allowAddresses);
  }
  throw new NoAnswer(`${host} does not say how to sign in`);
}

/** Refuses what no administrator can allow (doubts-of.ts lists what they can). */
function checked(
  server: AuthorizationServer,
  issuer: string,
  allowAddresses: readonly AllowEntry[],
): AuthorizationServer {
  if (!isIssuer(server.issuer, issuer)) {
    throw new SignInProblem(`${issuer} presents the metadata of another issuer, ${server.issuer}`);
  }
  for (const endpoint of endpointsOf(server)) {
    // Browsers and codes go only to https, never to javascript: (mcp-remote CVE-2025-6514).
    if (!isSafeAddress(endpoint, allowAddresses)) {
      throw new SignInProblem(`${issuer} names an endpoint that is ${unsafe}`);
    }
  }
  if (server.code_challenge_methods_supported?.includes('S256') === false) {
    throw new SignInProblem(`${issuer} does not offer PKCE with S256`);
  }
  return server;
}

/** Returns the endpoints to which users, codes, tokens or secrets are sent. */
export function endpointsOf(server: AuthorizationServer): string[] {
  return [
    server.authorization_endpoint,
    server.token_endpoint,
    server.registration_endpoint,
    server.revocation_endpoint,
  ].filter((endpoint) => endpoint !== undefined);
}
