import type { OAuthClientProvider } from '@modelcontextprotocol/client';
import type { ScriptedBrowser } from './scripted-browser.ts';

/** State that a real client keeps between its steps; the browser that it would open is scripted. */
export class ScriptedClientProvider implements OAuthClientProvider {
  /** Address to which it last sent the browser, and the address of the callback. */
  authorizationUrl: URL | undefined;
  callback: URL | undefined;
  readonly redirectUrl: string;
  /** Address of the client's metadata document, if it publishes one; otherwise it registers. */
  readonly clientMetadataUrl?: string;
  readonly #browser: ScriptedBrowser;
  #information: Awaited<ReturnType<OAuthClientProvider['clientInformation']>>;
  #tokens: Awaited<ReturnType<OAuthClientProvider['tokens']>>;
  #verifier = '';
  #discovery: Awaited<ReturnType<NonNullable<OAuthClientProvider['discoveryState']>>>;

  constructor(browser: ScriptedBrowser, redirectUrl: string, clientMetadataUrl?: string) {
    this.#browser = browser;
    this.redirectUrl = redirectUrl;
    if (clientMetadataUrl !== undefined) this.clientMetadataUrl = clientMetadataUrl;
  }
  get clientMetadata() {
    return { client_name: 'Official client', redirect_uris: [this.redirectUrl], token_endpoint_auth_method: 'none' };
  }
  clientInformation() {
    return this.#information;
  }
  saveClientInformation(information: Parameters<NonNullable<OAuthClientProvider['saveClientInformation']>>[0]) {
    this.#information = information;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: Parameters<OAuthClientProvider['saveTokens']>[0]) {
    this.#tokens = tokens;
  }
  token(): string {
    return this.#tokens?.access_token ?? '';
  }
  async redirectToAuthorization(url: URL) {
    this.authorizationUrl = url;
    this.callback = await this.#browser.signIn(url);
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
  saveDiscoveryState(state: Parameters<NonNullable<OAuthClientProvider['saveDiscoveryState']>>[0]) {
    this.#discovery = state;
  }
  discoveryState() {
    return this.#discovery;
  }
}
