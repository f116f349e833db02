import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  Client,
  StreamableHTTPClientTransport,
  UnauthorizedError,
  type OAuthClientInformationMixed,
  type OAuthClientProvider,
  type OAuthDiscoveryState,
  type OAuthTokens,
} from '@modelcontextprotocol/client';
import { connectHttp } from '@souk/service-kit/testing/connect.ts';
import { runService, temporaryFolder, type StartedService } from '@souk/service-kit/testing/run-service.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  authorizationUrl,
  redirectUri,
  registerClient,
  requestToken,
  ScriptedBrowser,
  signIn,
  tokenSchema,
} from './testing/sign-in.ts';

const program = new URL('./main.ts', import.meta.url);

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

const newClient = () => new Client({ name: 'test', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } });

describe("the notes service's own OAuth", () => {
  const folder = temporaryFolder();
  let service: StartedService;
  const callMcp = (headers: Record<string, string>) =>
    fetch(`${service.url}/mcp`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json, text/event-stream', ...headers },
      body: JSON.stringify({
        jsonrpc: '2.0',
        id: 1,
        method: 'initialize',
        params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
      }),
    });

  beforeAll(async () => {
    service = await runService(program, { DATA_DIR: folder.path });
  });
  afterAll(async () => {
    await service.stop();
    folder[Symbol.dispose]();
  });

  test('without a valid token /mcp responds with 401 and names its metadata', async () => {
    for (const headers of [{}, bearer('made-up')]) {
      const response = await callMcp(headers);
      expect(response.status).toBe(401);
      const challenge = response.headers.get('www-authenticate') ?? '';
      const metadata = /resource_metadata="([^"]+)"/.exec(challenge)?.[1] ?? '';
      const resource = await (await fetch(metadata)).json();
      expect(resource).toMatchObject({ resource: `${service.url}/mcp`, authorization_servers: [service.url] });
    }
    const server = await (await fetch(`${service.url}/.well-known/oauth-authorization-server`)).json();
    expect(server).toMatchObject({
      issuer: service.url,
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['notes'],
      token_endpoint_auth_methods_supported: ['none'],
    });
  });

  test('the official client signs in automatically with dynamic registration', async () => {
    const provider = new MemoryProvider();
    const open = () => new StreamableHTTPClientTransport(new URL(`${service.url}/mcp`), { authProvider: provider });
    const first = open();
    await expect(newClient().connect(first)).rejects.toThrow(UnauthorizedError);
    const callback = await new ScriptedBrowser().consent(provider.authorization, { name: 'Ana', decision: 'allow' });
    await first.finishAuth(callback.searchParams);
    const connected = newClient();
    await connected.connect(open());
    expect((await connected.listTools()).tools).toHaveLength(7);
    await connected.close();
  });

  test('the consent page shows the name of the client as text, warns that there is no password, and refuses an empty name', async () => {
    const { url } = authorizationUrl(service.url, await registerClient(service.url));
    const browser = new ScriptedBrowser();
    const { url: at, page } = await browser.open(url);
    const html = (await page?.text()) ?? '';
    expect(html).toContain('A &#60;b&#62;test');
    expect(html).toContain('no password');
    expect(page?.headers.get('content-security-policy')).toContain("default-src 'none'");
    const form = new URLSearchParams({ name: '  ', decision: 'allow' });
    const again = await browser.open(at.href, { method: 'POST', body: form });
    expect(again.page?.status).toBe(422);
    const foreign = { method: 'POST', body: form, headers: { origin: 'http://evil.test' } };
    expect((await browser.open(at.href, foreign)).page?.status).toBe(403);
    expect((await new ScriptedBrowser().open(at.href)).page?.status).toBe(400);
  });

  test('a user who denies is redirected with access_denied', async () => {
    const { url } = authorizationUrl(service.url, await registerClient(service.url));
    const callback = await new ScriptedBrowser().consent(url, { decision: 'deny' });
    expect(callback.searchParams.get('error')).toBe('access_denied');
    expect(callback.searchParams.get('state')).toBe('the-state');
  });

  test('one browser can sign in as two users, one after the other', async () => {
    const browser = new ScriptedBrowser();
    const clientId = await registerClient(service.url);
    for (const name of ['Ana', 'Ben', 'Ana']) {
      const { url } = authorizationUrl(service.url, clientId);
      const callback = await browser.consent(url, { name, decision: 'allow' });
      expect(callback.searchParams.get('code')).not.toBeNull();
      expect(callback.searchParams.get('iss')).toBe(service.url);
    }
  });

  test('a code needs its verifier, and works once', async () => {
    const clientId = await registerClient(service.url);
    const { url, verifier } = authorizationUrl(service.url, clientId);
    const callback = await new ScriptedBrowser().consent(url, { name: 'Ana', decision: 'allow' });
    const redeem = (codeVerifier: string) =>
      requestToken(service.url, {
        grant_type: 'authorization_code',
        client_id: clientId,
        redirect_uri: redirectUri,
        code: callback.searchParams.get('code') ?? '',
        code_verifier: codeVerifier,
      });
    expect((await redeem('x'.repeat(43))).status).toBe(400);
    const { url: next, verifier: right } = authorizationUrl(service.url, clientId);
    expect(verifier).not.toBe(right);
    const second = await new ScriptedBrowser().consent(next, { name: 'Ana', decision: 'allow' });
    const form = {
      grant_type: 'authorization_code',
      client_id: clientId,
      redirect_uri: redirectUri,
      code: second.searchParams.get('code') ?? '',
      code_verifier: right,
    };
    expect((await requestToken(service.url, form)).status).toBe(200);
    expect((await requestToken(service.url, form)).status).toBe(400);
  });

  test('no code is issued without PKCE, for another resource or with an unsafe redirect', async () => {
    const clientId = await registerClient(service.url);
    const { url } = authorizationUrl(service.url, clientId);
    const plain = new URL(url);
    plain.searchParams.delete('code_challenge');
    plain.searchParams.delete('code_challenge_method');
    const refused = await new ScriptedBrowser().open(plain.href);
    expect(refused.url.searchParams.get('error')).toBe('invalid_request');
    const elsewhere = authorizationUrl(service.url, clientId, { resource: 'https://other.test/mcp' });
    const foreign = await new ScriptedBrowser().open(elsewhere.url);
    expect(foreign.url.searchParams.get('error')).toBe('invalid_target');
    const stranger = authorizationUrl(service.url, clientId, { redirect_uri: 'https://evil.test/' });
    expect((await new ScriptedBrowser().open(stranger.url)).page?.status).toBe(400);
    for (const uri of ['http://evil.test/cb', 'javascript:alert(1)', 'cursor://callback']) {
      const response = await fetch(`${service.url}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [uri] }),
      });
      expect(response.status).toBe(400);
      expect(await response.json()).toMatchObject({ error: 'invalid_redirect_uri' });
    }
  });

  test('a refresh token works once; reuse ends the grant', async () => {
    const { clientId, tokens } = await signIn(service.url, 'Rotating');
    const refresh = (token: string) =>
      requestToken(service.url, { grant_type: 'refresh_token', client_id: clientId, refresh_token: token });
    const next = tokenSchema.parse(await (await refresh(tokens.refresh_token)).json());
    expect(next.refresh_token).not.toBe(tokens.refresh_token);
    expect((await callMcp(bearer(next.access_token))).status).toBe(200);
    expect((await refresh(tokens.refresh_token)).status).toBe(400);
    expect((await callMcp(bearer(next.access_token))).status).toBe(401);
    expect((await refresh(next.refresh_token)).status).toBe(400);
  });

  test('a revoked grant ends its access token immediately', async () => {
    const { clientId, tokens } = await signIn(service.url, 'Leaving');
    expect((await callMcp(bearer(tokens.access_token))).status).toBe(200);
    await fetch(`${service.url}/oauth/revoke`, {
      method: 'POST',
      body: new URLSearchParams({ token: tokens.refresh_token, client_id: clientId }),
    });
    expect((await callMcp(bearer(tokens.access_token))).status).toBe(401);
  });

  test('browsers and foreign hosts are refused', async () => {
    const { tokens } = await signIn(service.url, 'Ana');
    const withOrigin = { ...bearer(tokens.access_token), origin: 'https://evil.test' };
    expect((await callMcp(withOrigin)).status).toBe(403);
    expect((await fetch(`${service.url}/oauth/jwks`, { headers: { origin: 'https://evil.test' } })).status).toBe(403);
  });

  test('tokens survive a restart at the same address, and none of them is stored in plain text', async () => {
    const { clientId, tokens } = await signIn(service.url, 'Staying');
    const before = service.url;
    expect(await service.stop()).toBe(0);
    const stored = readFileSync(join(folder.path, 'notes.sqlite'), 'latin1');
    for (const secret of [tokens.access_token, tokens.refresh_token]) expect(stored).not.toContain(secret);
    service = await runService(program, { DATA_DIR: folder.path });
    expect(service.url).toBe(before);
    const client = await connectHttp(`${service.url}/mcp`, 'modern', bearer(tokens.access_token));
    await client.close();
    const form = { grant_type: 'refresh_token', client_id: clientId, refresh_token: tokens.refresh_token };
    expect((await requestToken(service.url, form)).status).toBe(200);
  });
});

/** Data that a client stores about a sign-in. */
class MemoryProvider implements OAuthClientProvider {
  authorization = '';
  #client: OAuthClientInformationMixed | undefined;
  #tokens: OAuthTokens | undefined;
  #verifier = '';
  #discovery: OAuthDiscoveryState | undefined;
  readonly redirectUrl = redirectUri;
  readonly clientMetadata = { client_name: 'Official client', redirect_uris: [redirectUri] };
  clientInformation() {
    return this.#client;
  }
  saveClientInformation(client: OAuthClientInformationMixed) {
    this.#client = client;
  }
  tokens() {
    return this.#tokens;
  }
  saveTokens(tokens: OAuthTokens) {
    this.#tokens = tokens;
  }
  saveDiscoveryState(state: OAuthDiscoveryState) {
    this.#discovery = state;
  }
  discoveryState() {
    return this.#discovery;
  }
  redirectToAuthorization(url: URL) {
    this.authorization = url.href;
  }
  saveCodeVerifier(verifier: string) {
    this.#verifier = verifier;
  }
  codeVerifier() {
    return this.#verifier;
  }
}
