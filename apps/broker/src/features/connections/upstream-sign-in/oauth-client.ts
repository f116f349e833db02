import * as oidc from 'openid-client';
import { z } from 'zod';
import { authorizationServerSchema } from './discover-sign-in.ts';
import type { SignInFetch } from './sign-in-fetch.ts';

export const clientSchema = z.object({
  clientId: z.string(),
  clientSecret: z.string().optional(),
  authMethod: z.enum(['none', 'client_secret_basic', 'client_secret_post']),
});
/** Who we are at one authorization server. */
export type OAuthClient = z.output<typeof clientSchema>;

/** Everything that a token is bound to: it never goes to another server, and nothing of this is discovered again. */
export const bindingSchema = z.object({
  server: authorizationServerSchema,
  client: clientSchema,
  resource: z.string(),
});
export type Binding = z.output<typeof bindingSchema>;

/** The authorization server and ourselves, as openid-client wants them. It validates every answer (iss, state, token type). */
export function oidcConfiguration({ server, client }: Binding, fetch: SignInFetch): oidc.Configuration {
  const { clientSecret } = client;
  const configuration = new oidc.Configuration(
    // undefined members are absent to openid-client, which exactOptionalPropertyTypes cannot know
    Object.fromEntries(Object.entries(server).filter(([, value]) => value !== undefined)) as oidc.ServerMetadata,
    client.clientId,
    undefined,
    client.authMethod === 'client_secret_basic'
      ? oidc.ClientSecretBasic(clientSecret)
      : client.authMethod === 'client_secret_post'
        ? oidc.ClientSecretPost(clientSecret)
        : oidc.None(),
  );
  configuration[oidc.customFetch] = (url, { method, headers, body }) =>
    fetch(url, { method, headers, ...(body !== undefined && body !== null && { body: String(body) }) });
  // Which addresses may be plain http was decided when the metadata was read; the fetch looks again.
  if (server.issuer.startsWith('http:')) oidc.allowInsecureRequests(configuration);
  return configuration;
}
