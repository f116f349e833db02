import * as oidc from 'openid-client';
import { z } from 'zod';
import { authorizationServerSchema } from '../issuers/authorization-server.ts';
import type { SignInFetch } from '../sign-in-fetch.ts';
import { asTokenAnswer, type Issued } from './token-answer.ts';

export const clientSchema = z.object({
  clientId: z.string(),
  clientSecret: z.string().optional(),
  authMethod: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
  /** Whether the operator registered it. If so, it is sent only to the issuer that it is pinned to. */
  isOperators: z.boolean().optional(),
});
/** Our client at one authorization server. */
export type OAuthClient = z.output<typeof clientSchema>;

/**
 * Binding of a token to its authorization server, client and resource. It is stored and never rediscovered, so that a
 * token cannot be sent to another server.
 */
export const bindingSchema = z.object({
  server: authorizationServerSchema,
  client: clientSchema,
  resource: z.string(),
});
export type Binding = z.output<typeof bindingSchema>;

/**
 * Returns the authorization server and our client for openid-client, which validates every answer (iss, state, token
 * type).
 * @param redirectUri the redirect URI for the redemption of a code, since openid-client omits its query
 * @param onIssued called with every answer that has a token, before validation
 */
export function oidcConfiguration(
  { server, client }: Binding,
  fetch: SignInFetch,
  { redirectUri, onIssued }: { redirectUri?: string; onIssued?: (issued: Issued) => void } = {},
): oidc.Configuration {
  const { clientSecret } = client;
  const configuration = new oidc.Configuration(
    // openid-client treats undefined members as absent; exactOptionalPropertyTypes cannot express that
    Object.fromEntries(Object.entries(server).filter(([, value]) => value !== undefined)) as oidc.ServerMetadata,
    client.clientId,
    undefined,
    client.authMethod === 'client_secret_basic'
      ? basicAuthentication(client.clientId, clientSecret ?? '')
      : client.authMethod === 'client_secret_post'
        ? oidc.ClientSecretPost(clientSecret)
        : oidc.None(),
  );
  configuration[oidc.customFetch] = async (url, { method, headers, body }) => {
    const isTokenRequest = url === server.token_endpoint;
    const form = new URLSearchParams(body === undefined || body === null ? '' : String(body));
    if (isTokenRequest && redirectUri !== undefined) form.set('redirect_uri', redirectUri);
    const answer = await fetch(url, { method, headers, ...(method === 'POST' && { body: form.toString() }) });
    if (!isTokenRequest) return answer;
    const { response, issued } = await asTokenAnswer(answer);
    if (issued) onIssued?.(issued);
    return response;
  };
  // Which addresses may be plain http was decided when the metadata was read; the fetch checks again.
  if (server.issuer.startsWith('http:')) oidc.allowInsecureRequests(configuration);
  return configuration;
}

/**
 * Authenticates with form-encoded parts (RFC 6749 section 2.3.1). Encodes only the necessary characters, because some
 * servers do not decode; openid-client encodes even the hyphen.
 */
function basicAuthentication(clientId: string, secret: string): oidc.ClientAuth {
  const encode = (text: string) => new URLSearchParams({ '': text }).toString().slice(1);
  const credentials = Buffer.from(`${encode(clientId)}:${encode(secret)}`).toString('base64');
  return (_server, _client, _body, headers) => headers.set('authorization', `Basic ${credentials}`);
}
