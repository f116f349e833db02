import * as oidc from 'openid-client';
import { refreshParameters } from './issuers/known-providers.ts';
import type { Binding } from './tokens/oauth-client.ts';
import { SignInProblem } from './sign-in-problem.ts';

/** Longest address that all browsers, proxies and servers accept. */
const maxCharacters = 8000;
/**
 * Parameters that the authorization endpoint's own address must not set: of two with the same name, the server would
 * use either.
 */
const ours =
  'client_id redirect_uri state response_type response_mode scope resource code_challenge code_challenge_method';
const reserved: ReadonlySet<string> = new Set([...ours.split(' '), 'prompt', 'nonce', 'request', 'request_uri']);

/**
 * Builds the address to which the browser is sent, and where the user signs in and grants access.
 * @throws SignInProblem when the address would be too long
 */
export async function buildSignInAddress({
  binding: { server, client, resource },
  redirectUri,
  state,
  verifier,
  scopes,
}: {
  binding: Binding;
  redirectUri: string;
  state: string;
  verifier: string;
  scopes: readonly string[];
}): Promise<URL> {
  const url = new URL(server.authorization_endpoint);
  const own = [...url.searchParams].filter(([name]) => !reserved.has(name));
  const asked = {
    client_id: client.clientId,
    response_type: 'code',
    redirect_uri: redirectUri,
    state,
    code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource,
    ...(scopes.length > 0 && { scope: scopes.join(' ') }),
    // OpenID Connect Core, section 11: offline access requires prompt=consent.
    ...(scopes.includes('offline_access') && { prompt: 'consent' }),
    ...refreshParameters(server.authorization_endpoint),
  };
  url.search = new URLSearchParams([...own, ...Object.entries(asked)]).toString();
  if (url.href.length > maxCharacters) throw new SignInProblem('its sign-in address is too long');
  return url;
}
