import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { Person } from './person.ts';

type Stored<K extends keyof OAuthClientProvider> = Parameters<
  Extract<OAuthClientProvider[K], (...args: never[]) => unknown>
>[0];

/** Sign-in state of a program that is built on an SDK. It signs in through the person's browser. */
export class MemoryProvider implements OAuthClientProvider {
  readonly redirectUrl = 'http://127.0.0.1:53682/callback';
  readonly clientMetadata;
  /** The address that the browser returned to, until it is used. */
  callback: URL | undefined;
  readonly #person: Person;
  #client: Stored<'saveClientInformation'> | undefined;
  #tokens: Stored<'saveTokens'> | undefined;
  #verifier = '';
  #server: unknown;
  #discovery: Stored<'saveDiscoveryState'> | undefined;

  constructor(person: Person, name: string) {
    this.#person = person;
    this.clientMetadata = {
      client_name: name,
      redirect_uris: [this.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  clientInformation = () => this.#client;
  saveClientInformation = (client: Stored<'saveClientInformation'>) => void (this.#client = client);
  tokens = () => this.#tokens;
  saveTokens = (tokens: Stored<'saveTokens'>) => void (this.#tokens = tokens);
  saveCodeVerifier = (verifier: string) => void (this.#verifier = verifier);
  codeVerifier = () => this.#verifier;
  saveDiscoveryState = (state: Stored<'saveDiscoveryState'>) => void (this.#discovery = state);
  discoveryState = () => this.#discovery;
  // @ai-sdk/mcp keeps this in place of the discovery state
  saveAuthorizationServerInformation = (information: unknown) => void (this.#server = information);
  authorizationServerInformation = () => this.#server;
  isClientInformationDynamicallyRegistered = () => true;
  async redirectToAuthorization(url: URL) {
    this.callback = await this.#person.allow(url);
  }
  invalidateCredentials(scope: 'all' | 'client' | 'tokens' | 'verifier' | 'discovery') {
    if (scope === 'all' || scope === 'client') this.#client = undefined;
    if (scope === 'all' || scope === 'tokens') this.#tokens = undefined;
  }

  /** Returns the answer of the sign-in, once. */
  takeCallback(): URL {
    const callback = this.callback;
    this.callback = undefined;
    if (!callback) throw new Error('the client did not ask to sign in');
    return callback;
  }
}
