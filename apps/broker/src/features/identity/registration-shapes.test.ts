import { specTypeSchemas } from '@modelcontextprotocol/client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { z } from 'zod';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { optionalMembers } from '#testing/figures/null-variants.ts';
import { ScriptedBrowser, challengeOf, readTokens } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

type Shape = {
  client: string;
  metadata: Record<string, unknown>;
  /** Redirect address that it uses at sign-in. */
  redirectUri: string;
  /** Address as shown to the user on the consent page. */
  shown: string;
};

/** Registrations as common clients send them, with missing and superfluous fields. */
const shapes: Shape[] = [
  {
    client: 'Claude Code: loopback without a port, no application_type',
    metadata: {
      client_name: 'Claude Code (souk)',
      redirect_uris: ['http://localhost/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'http://localhost:54545/callback',
    shown: 'localhost:54545',
  },
  {
    client: 'claude.ai: a hosted callback, a scope of its own, a secret',
    metadata: {
      client_name: 'Claude',
      redirect_uris: ['https://claude.ai/api/mcp/auth_callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      scope: 'claudeai',
    },
    redirectUri: 'https://claude.ai/api/mcp/auth_callback',
    shown: 'claude.ai',
  },
  {
    client: 'Codex: loopback with a port of this start, a scope that is null',
    metadata: {
      client_name: 'Codex',
      redirect_uris: ['http://127.0.0.1:41033/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      scope: null,
    },
    redirectUri: 'http://127.0.0.1:41033/callback',
    shown: '127.0.0.1:41033',
  },
  {
    client: 'VS Code: hosted and loopback callbacks together, and a grant type that we lack',
    metadata: {
      client_name: 'Visual Studio Code',
      client_uri: 'https://code.visualstudio.com',
      redirect_uris: [
        'https://insiders.vscode.dev/redirect',
        'https://vscode.dev/redirect',
        'http://127.0.0.1/',
        'http://127.0.0.1:33418/',
      ],
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
      application_type: 'native',
    },
    redirectUri: 'http://127.0.0.1:52001/',
    shown: '127.0.0.1:52001',
  },
  {
    client: 'Cursor: a scheme of its own',
    metadata: {
      client_name: 'Cursor',
      redirect_uris: ['cursor://anysphere.cursor-mcp/oauth/callback'],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'cursor://anysphere.cursor-mcp/oauth/callback',
    shown: '<strong>cursor:</strong>',
  },
  {
    client: 'ChatGPT: a hosted callback and nothing else',
    metadata: {
      client_name: 'ChatGPT',
      redirect_uris: ['https://chatgpt.com/connector_platform_oauth_redirect'],
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'https://chatgpt.com/connector_platform_oauth_redirect',
    shown: 'chatgpt.com',
  },
  {
    client: 'mcp-remote: a software statement of sorts, web as its type although it is none',
    metadata: {
      client_name: 'MCP CLI Proxy',
      client_uri: 'https://github.com/modelcontextprotocol/mcp-cli',
      redirect_uris: ['http://localhost:3334/oauth/callback'],
      application_type: 'web',
      software_id: '2e6dc280-f3c3-4e01-99a7-8181dbd1d23d',
      software_version: '0.15.1',
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'http://localhost:9333/oauth/callback',
    shown: 'localhost:9333',
  },
  {
    client: 'Cursor 3: three callbacks at once, web as its type although one is a scheme',
    metadata: {
      client_name: 'Cursor',
      redirect_uris: [
        'cursor://anysphere.cursor-mcp/oauth/callback',
        'https://www.cursor.com/agents/mcp/oauth/callback',
        'http://localhost:8787/callback',
      ],
      application_type: 'web',
      token_endpoint_auth_method: 'none',
    },
    redirectUri: 'https://www.cursor.com/agents/mcp/oauth/callback',
    shown: 'www.cursor.com',
  },
  {
    client: 'Raycast: its scheme with a query, and no type',
    metadata: {
      client_name: 'Raycast MCP: Souk',
      grant_types: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      redirect_uris: ['raycast://oauth?package_name=mcp_server_souk'],
    },
    redirectUri: 'raycast://oauth?package_name=mcp_server_souk',
    shown: '<strong>raycast:</strong>',
  },
  {
    client: 'Cline in an editor: the editor’s scheme',
    metadata: { client_name: 'Cline', redirect_uris: ['antigravity-ide://saoudrizwan.claude-dev/mcp-auth'] },
    redirectUri: 'antigravity-ide://saoudrizwan.claude-dev/mcp-auth',
    shown: '<strong>antigravity-ide:</strong>',
  },
  {
    client: 'n8n: a callback of its own host, and a scope of no meaning here',
    metadata: {
      client_name: 'n8n',
      client_uri: 'https://n8n.io/',
      redirect_uris: ['https://acme.app.n8n.cloud/rest/oauth2-credential/callback'],
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      scope: 'openid',
    },
    redirectUri: 'https://acme.app.n8n.cloud/rest/oauth2-credential/callback',
    shown: 'acme.app.n8n.cloud',
  },
  {
    client: 'an editor whose newest edition has a scheme that we do not know: the others are kept',
    metadata: {
      client_name: 'Editor',
      redirect_uris: ['editor-nightly://oauth/callback', 'https://editor.example/cb', 'vscode://editor.example/cb'],
    },
    redirectUri: 'vscode://editor.example/cb',
    shown: '<strong>vscode:</strong>',
  },
  {
    client: 'an application with a reversed domain name as its scheme',
    metadata: { client_name: 'Native', redirect_uris: ['com.example.app:/oauth/callback'] },
    redirectUri: 'com.example.app:/oauth/callback',
    shown: 'com.example.app',
  },
];

describe('registrations of common clients', () => {
  let db: Database;
  let running: RunningIdentity;
  beforeAll(async () => {
    db = await openTestDatabase(migrations);
    running = await startIdentity({ db });
  });
  afterAll(async () => {
    await running.close();
    await db.close();
  });

  const register = async (metadata: Record<string, unknown>) => {
    const answer = await fetch(`${running.publicUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
    });
    const text = await answer.text();
    expect(answer.status, text).toBe(201);
    const registered: { client_id: string; client_secret?: string } = JSON.parse(text);
    return registered;
  };

  /** Registers a client and returns the response, without any secret. */
  const registerAnew = async (metadata: Record<string, unknown>): Promise<Record<string, unknown>> => {
    const { client_id: id, client_secret: secret, ...said } = await register(metadata);
    return { ...said, ...(secret === undefined && { client_id: id }) };
  };

  test.each(shapes)('$client', async ({ metadata, redirectUri, shown }) => {
    const { client_id: clientId, client_secret: secret } = await register(metadata);
    const browser = new ScriptedBrowser(running.publicUrl);
    const verifier = 'v'.repeat(43);
    const url = browser.authorizeUrl({
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: challengeOf(verifier),
      resource: `${running.publicUrl}/mcp`,
    });
    const consent = await browser.open(url);
    expect('page' in consent && consent.page.text).toContain(shown);
    const left = await browser.signIn(url);
    expect(left.href.startsWith(redirectUri)).toBe(true);
    const answer = await fetch(`${running.publicUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'authorization_code',
        client_id: clientId,
        ...(secret !== undefined && { client_secret: secret }),
        code: left.searchParams.get('code') ?? '',
        redirect_uri: redirectUri,
        code_verifier: verifier,
      }),
    });
    expect(readTokens(await answer.json()).refreshToken).not.toBe('');
  });

  test('null in a registration means absent', async () => {
    // why the cast: the SDK's type shows the standard interface only
    const schema = specTypeSchemas.OAuthClientMetadata as unknown as z.core.$ZodType;
    const members = optionalMembers(schema);
    expect(members.length).toBeGreaterThan(12);
    const metadata = {
      client_name: 'Null',
      client_uri: 'https://null.example',
      redirect_uris: ['https://null.example/cb'],
    };
    for (const member of members) {
      const { [member]: _, ...without }: Record<string, unknown> = metadata;
      const { client_id_issued_at: _at, ...plain } = await registerAnew(without);
      expect(await registerAnew({ ...metadata, [member]: null }), member).toMatchObject(plain);
    }
  });

  test('a registration keeps its valid redirects, and says which ones it refused and why', async () => {
    const bad = ['editor-nightly://oauth/callback', 'http://evil.test/cb', 'javascript:alert(1)', 7];
    const good = ['https://editor.example/cb', 'cursor://anysphere.cursor-mcp/oauth/callback'];
    const registered = await registerAnew({
      client_name: 'Mixed',
      redirect_uris: [bad[0], good[0], ...bad.slice(1), good[1]],
    });
    expect(registered).toMatchObject({
      redirect_uris: good,
      application_type: 'native',
      refused_redirect_uris: [
        {
          redirect_uri: bad[0],
          reason:
            "redirect_uris must not use the scheme editor-nightly: (an application's own is a reversed domain name)",
        },
        { redirect_uri: bad[1], reason: 'http redirect_uris must be loopback addresses' },
        {
          redirect_uri: bad[2],
          reason: "redirect_uris must not use the scheme javascript: (an application's own is a reversed domain name)",
        },
        { redirect_uri: 7, reason: 'redirect_uris must be addresses of at most 2048 characters' },
      ],
    });
    expect(await registerAnew({ client_name: 'Plain', redirect_uris: good })).not.toHaveProperty(
      'refused_redirect_uris',
    );
    const browser = new ScriptedBrowser(running.publicUrl);
    const step = await browser.open(
      browser.authorizeUrl({
        client_id: String(registered['client_id']),
        redirect_uri: 'http://evil.test/cb',
        code_challenge: challengeOf('v'.repeat(43)),
      }),
    );
    expect('page' in step && step.page.status).toBe(400);
  });

  test('a public client that registers twice is one client, and both registrations work', async () => {
    const metadata = { client_name: 'Twice', redirect_uris: ['https://app.example/cb'] };
    const ids = await Promise.all([register(metadata), register(metadata)]);
    expect(ids[0]?.client_id).toBe(ids[1]?.client_id);
  });

  test('a client with a secret that registers twice becomes two clients, and the first secret stays valid', async () => {
    const metadata = {
      client_name: 'Twice with a secret',
      redirect_uris: ['https://app.example/cb'],
      token_endpoint_auth_method: 'client_secret_basic',
    };
    const [first, second] = [await register(metadata), await register(metadata)];
    expect(first.client_id).not.toBe(second.client_id);
    const answer = await fetch(`${running.publicUrl}/oauth/token`, {
      method: 'POST',
      headers: {
        authorization: `Basic ${Buffer.from(`${first.client_id}:${first.client_secret}`).toString('base64')}`,
      },
      body: new URLSearchParams({ grant_type: 'refresh_token', refresh_token: 'unknown' }),
    });
    // The client is known; its refresh token is not.
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });
});
