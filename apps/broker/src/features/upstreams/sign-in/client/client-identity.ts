import { clientDocumentPath, redirectUriOf, secretMethod, type ClientIdentityOptions } from './client-document.ts';
import type { AuthorizationServer } from '../issuers/authorization-server.ts';
import type { OAuthClient } from '../tokens/oauth-client.ts';
import { clientIdVariable } from './operator-secrets.ts';
import { findRegistration, register } from './registrations.ts';
import type { SignInFetch } from '../sign-in-fetch.ts';
import { SignInProblem } from '../sign-in-problem.ts';

export type ClientIdentity = { client: OAuthClient; redirectUri: string };

/**
 * Returns our client at an authorization server: the operator's, else our metadata document if the server supports
 * that, else a registration (RFC 7591).
 * @param configured the operator's client id with its secret, if any; its issuer was checked before
 * @param withoutReturn returns the clients with which this user was sent there and did not come back
 * @throws SignInProblem when none of these is possible
 */
export async function clientFor(
  serverId: string,
  server: AuthorizationServer,
  configured: { clientId: string; clientSecret: string | undefined } | undefined,
  options: ClientIdentityOptions,
  fetch: SignInFetch,
  withoutReturn: () => Promise<ReadonlySet<string>> = async () => new Set(),
): Promise<ClientIdentity> {
  const { publicUrl } = options;
  if (configured) {
    const { clientId, clientSecret } = configured;
    const authMethod = clientSecret === undefined ? 'none' : secretMethod(server);
    const client = { clientId, authMethod, isOperators: true, ...(clientSecret !== undefined && { clientSecret }) };
    return { client, redirectUri: redirectUriOf(publicUrl) };
  }
  const namesItself = server.authorization_response_iss_parameter_supported === true;
  const redirectUri = redirectUriOf(publicUrl, namesItself ? undefined : { serverId });
  if (server.client_id_metadata_document_supported === true && publicUrl.startsWith('https:')) {
    return { client: { clientId: `${publicUrl}${clientDocumentPath(serverId)}`, authMethod: 'none' }, redirectUri };
  }
  const { registration_endpoint: endpoint } = server;
  const place = { serverId, server, redirectUri };
  const found = await findRegistration(place, options);
  const mayRegister = endpoint !== undefined;
  if (found && !(mayRegister && isForgotten(found, await withoutReturn()))) return { client: found, redirectUri };
  if (endpoint === undefined) {
    const { host } = new URL(server.issuer);
    const variable = clientIdVariable(serverId);
    throw new SignInProblem(`${host} needs a client that the operator registers there (${variable}), and none is set`);
  }
  return { client: await register({ ...place, endpoint }, options, fetch), redirectUri };
}

/**
 * Returns whether an authorization server has probably forgotten a client: then it shows an error page, and the user
 * does not come back. One such sign-in is enough, since registering again costs little; but not if users did not come
 * back with another client either.
 */
function isForgotten({ clientId }: OAuthClient, withoutReturn: ReadonlySet<string>): boolean {
  return withoutReturn.has(clientId) && withoutReturn.size === 1;
}
