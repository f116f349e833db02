import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { ScriptedClientProvider } from '#testing/people/scripted-client-provider.ts';

describe('a client that needs another scope', () => {
  let app: TestApp;
  let fixture: HttpFixture;
  beforeAll(async () => {
    fixture = await startHttpFixture('both');
    app = await startTestApp({ allowAddresses: [fixture.address] });
    await deployManifest(app, { id: 'all', connection: { type: 'http', url: fixture.url } });
  });
  afterAll(async () => {
    await app.stop();
    await fixture.close();
  });

  test('is told which, and the official client requests its scopes and the new one, and continues', async () => {
    const browser = new ScriptedBrowser(app.publicUrl);
    const held = await browser.signInMcpClient({ scope: 'mcp:tools' });
    const provider = new ScriptedClientProvider(browser, held.redirectUri);
    provider.saveClientInformation({ client_id: held.clientId, issuer: app.publicUrl });
    provider.saveTokens({
      access_token: held.accessToken,
      refresh_token: held.refreshToken,
      token_type: 'Bearer',
      scope: 'mcp:tools',
      issuer: app.publicUrl,
    });
    const transport = new StreamableHTTPClientTransport(new URL(`${app.publicUrl}/mcp`), { authProvider: provider });
    const client = new Client(
      { name: 'step-up', version: '1' },
      { versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    await client.connect(transport);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    expect(provider.authorizationUrl).toBeUndefined();

    await expect(client.listPrompts()).rejects.toThrow(/unauthorized/i);
    expect(provider.authorizationUrl?.searchParams.get('scope')).toBe('mcp:tools mcp:prompts');
    if (!provider.callback) throw new Error('the client did not ask again');
    await transport.finishAuth(provider.callback.searchParams);
    expect((await client.listPrompts()).prompts.length).toBeGreaterThan(0);
    expect((await client.listTools()).tools.length).toBeGreaterThan(0);
    await client.close();
  });

  test('the challenge names the granted and the missing scopes', async () => {
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInMcpClient({ scope: 'mcp:resources' });
    const answer = await fetch(`${app.publicUrl}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    });
    expect(answer.status).toBe(403);
    const challenge = answer.headers.get('www-authenticate');
    expect(challenge).toContain('error="insufficient_scope"');
    expect(challenge).toContain('scope="mcp:tools mcp:resources"');
  });
});
