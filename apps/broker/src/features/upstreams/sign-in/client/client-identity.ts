import { clientDocumentPath, redirectUriOf, secretMethod, type ClientIdentityOptions } from './client-document.ts';
import type { AuthorizationServer } from '../issuers/authorization-server.ts';
import type { OAuthClient } from '../tokens/oauth-client.ts';
import { clientIdVariable } from './operator-secrets.ts';
import { findRegistration, register } from './registrations.ts';
import type { SignInFetch } from '../sign-in-fetch.ts';
import { SignInProblem } from '../sign-in-problem.ts';

/** Our client, and where it sends people back to. */
export type ClientIdentity = { client: OAuthClient; redirectUri: string };

/**
 * Our client at an authorization server: the one that the operator has registered, else our metadata document where the server
 * supports that, else a registration (RFC 7591).
 * @param configured the operator's client id with the secret for it, if any; the issuer is known to be theirs
 * @param withoutReturn clients with which this person was sent there and did not come back
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
  const saysWhoAnswers = server.authorization_response_iss_parameter_supported === true;
  const redirectUri = redirectUriOf(publicUrl, saysWhoAnswers ? undefined : { serverId });
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
 * An authorization server that has forgotten a client shows the person an error page, from which they never come back. Registering
 * anew costs little, so one sign-in without return is taken for that; once another client did not help either, it is not.
 */
function isForgotten({ clientId }: OAuthClient, withoutReturn: ReadonlySet<string>): boolean {
  return withoutReturn.has(clientId) && withoutReturn.size === 1;
}
