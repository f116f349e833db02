import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientProvider,
} from '@modelcontextprotocol/client';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';

type Stored<K extends keyof OAuthClientProvider> = Parameters<
  Extract<OAuthClientProvider[K], (...args: never[]) => unknown>
>[0];

/** The state of one sign-in of an MCP client, in memory. The SDK does discovery, registration, PKCE and tokens. */
class MemoryProvider implements OAuthClientProvider {
  redirectUrl = 'http://127.0.0.1:53682/callback';
  clientMetadata = {
    client_name: 'Test client',
    redirect_uris: [this.redirectUrl],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  };
  authorizationUrl: URL | undefined;
  #client: Stored<'saveClientInformation'> | undefined;
  #tokens: Stored<'saveTokens'> | undefined;
  #verifier = '';
  state = () => 'a-state-of-the-client';
  clientInformation = () => this.#client;
  saveClientInformation = (client: Stored<'saveClientInformation'>) => void (this.#client = client);
  tokens = () => this.#tokens;
  saveTokens = (tokens: Stored<'saveTokens'>) => void (this.#tokens = tokens);
  redirectToAuthorization = (url: URL) => void (this.authorizationUrl = url);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
}

export type SignedIn = { client: Client; clientId: string | undefined };

/**
 * Connects the official client with only the link: it gets a 401, discovers how to sign in and registers, and a scripted
 * user picks an account and clicks Allow.
 */
export async function connectBySignIn(link: string, email: string, era: 'modern' | 'legacy'): Promise<SignedIn> {
  const provider = new MemoryProvider();
  const mode = era === 'modern' ? { pin: '2026-07-28' } : 'legacy';
  const create = () => new Client({ name: 'test-client', version: '1.0.0' }, { versionNegotiation: { mode } });
  const first = new StreamableHTTPClientTransport(new URL(link), { authProvider: provider });
  await create()
    .connect(first)
    .then(
      () => Promise.reject(new Error('connected without signing in')),
      (error: unknown) => {
        if (!(error instanceof UnauthorizedError) && !/unauthorized/i.test(String(error))) throw error;
      },
    );
  if (!provider.authorizationUrl) throw new Error('the client did not discover how to sign in');
  const callback = await new ScriptedBrowser(new URL(link).origin).signIn(provider.authorizationUrl.href, { email });
  await first.finishAuth(callback.searchParams);
  const client = create();
  await client.connect(new StreamableHTTPClientTransport(new URL(link), { authProvider: provider }));
  return { client, clientId: provider.clientInformation()?.client_id };
}
