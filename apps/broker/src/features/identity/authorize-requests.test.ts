import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { ScriptedBrowser, challengeOf } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const redirectUri = 'https://app.example/cb';

describe('authorization requests', () => {
  let db: Database;
  let running: RunningIdentity;
  let clientId: string;
  const deployed = new Set(['travel']);
  beforeAll(async () => {
    db = await openTestDatabase(migrations);
    running = await startIdentity({ db, hasServer: (serverId) => deployed.has(serverId) });
    const answer = await fetch(`${running.publicUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Asking', redirect_uris: [redirectUri] }),
    });
    const registered: { client_id: string } = JSON.parse(await answer.text());
    clientId = registered.client_id;
  });
  afterAll(async () => {
    await running.close();
    await db.close();
  });

  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const authorizeUrl = (fields: Record<string, string>) =>
    newBrowser().authorizeUrl({
      client_id: clientId,
      redirect_uri: redirectUri,
      code_challenge: challengeOf('verifier'),
      ...fields,
    });
  /** Returns the error that the client receives, with state and iss; undefined if a page is shown instead. */
  const errorOf = async (fields: Record<string, string>, browser = newBrowser()) => {
    const step = await browser.open(authorizeUrl(fields));
    if (!('left' in step)) return undefined;
    expect(step.left.hash).toBe('');
    expect(step.left.searchParams.get('state')).toBe('state-of-the-client');
    expect(step.left.searchParams.get('iss')).toBe(running.publicUrl);
    return step.left.searchParams.get('error');
  };

  test('only unknown scopes are invalid_scope', async () => {
    for (const scope of ['admin', 'mcp:admin', 'admin root', 'mcp:tools,mcp:prompts']) {
      expect(await errorOf({ scope }), scope).toBe('invalid_scope');
    }
  });

  test('unknown scopes among known ones are ignored: neither shown nor granted', async () => {
    const step = await newBrowser().open(authorizeUrl({ scope: 'admin mcp:tools' }));
    expect('page' in step && step.page.text).toContain('List and use your tools');
    expect('page' in step && step.page.text).not.toContain('admin');
    const client = await newBrowser().signInMcpClient({ scope: 'admin mcp:tools' });
    const answer = await fetch(`${running.publicUrl}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.accessToken}` },
    });
    expect(await answer.json()).toMatchObject({ scopes: ['mcp:tools'] });
  });

  const all = ['mcp:tools', 'mcp:prompts', 'mcp:resources'];
  const granted = async (token: string): Promise<unknown> => {
    const headers = { authorization: `Bearer ${token}` };
    const answer = await fetch(`${running.publicUrl}/mcp`, { method: 'POST', headers });
    return (JSON.parse(await answer.text()) as { scopes?: unknown }).scopes;
  };

  test.each([
    ['n8n, or a client that only knows OpenID', 'openid'],
    ['mcp-remote without advertised scopes', 'openid email profile'],
    ['with a longer sign-in', 'openid profile offline_access'],
    ['claude.ai without advertised scopes', 'claudeai'],
    ['claude.ai with an extra space', ' offline_access'],
    ['an unknown scope and openid', 'openid everything'],
  ])('%s is offered the scopes of the link in the consent, and gets them (scope=%s)', async (_who, scope) => {
    const step = await newBrowser().open(authorizeUrl({ scope }));
    const text = 'page' in step ? step.page.text : '';
    for (const one of ['List and use your tools', 'prompts of your services', 'resources of your services']) {
      expect(text).toContain(one);
    }
    expect(text.includes('Know which account you use here')).toBe(scope.includes('openid'));
    expect(text).not.toMatch(/everything|offline_access|claudeai/);
    const browser = newBrowser();
    const client = await browser.signInMcpClient({ scope });
    expect(await granted(client.accessToken)).toEqual(all);
    // a renewal that names the requested scopes keeps them
    const renewed = await browser.postForm('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: client.clientId,
      refresh_token: client.refreshToken,
      scope,
    });
    expect(await granted((JSON.parse(await renewed.text()) as { access_token: string }).access_token)).toEqual(all);
  });

  test('a client that names some scopes of the link is offered only these, and may renew with fewer', async () => {
    const browser = newBrowser();
    const client = await browser.signInMcpClient({ scope: 'openid mcp:tools mcp:prompts offline_access' });
    expect(await granted(client.accessToken)).toEqual(['mcp:tools', 'mcp:prompts']);
    const renewed = await browser.postForm('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: client.clientId,
      refresh_token: client.refreshToken,
      scope: 'openid mcp:prompts',
    });
    expect(await granted((JSON.parse(await renewed.text()) as { access_token: string }).access_token)).toEqual([
      'mcp:prompts',
    ]);
  });

  test('a client that wants the user to choose an account gets the consent, which names the account and offers another', async () => {
    const browser = newBrowser();
    await browser.signInMcpClient({ email: 'ann@souk.test' });
    for (const prompt of ['select_account', 'select_account consent']) {
      const step = await browser.open(authorizeUrl({ prompt }));
      expect('page' in step && [step.page.status, step.page.text], prompt).toEqual([
        200,
        expect.stringMatching(/ann@souk\.test[^]*Use another account/),
      ]);
    }
    expect(await errorOf({ prompt: 'create' })).toBe('invalid_request');
    expect(await errorOf({ prompt: 'none select_account' }, browser)).toBe('consent_required');
  });

  test('[SIGN-7] no scope, or only offline_access, requests the three scopes of the product', async () => {
    for (const scope of ['', 'offline_access']) {
      const step = await newBrowser().open(authorizeUrl({ scope }));
      const text = 'page' in step ? step.page.text : '';
      for (const one of ['your tools', 'prompts of your services', 'resources of your services'])
        expect(text, scope).toContain(one);
    }
    // and so does the web app's own sign-in
    const login = await newBrowser().request(
      `/login?${new URLSearchParams({
        return_to: `${running.publicUrl}/auth/callback`,
        state: 's',
        code_challenge: challengeOf('verifier'),
      })}`,
    );
    const target = new URL(login.headers.get('location') ?? '');
    expect(target.searchParams.get('scope')).toBe('mcp:tools mcp:prompts mcp:resources');
  });

  test('an authorization response is only sent as a query', async () => {
    for (const mode of ['fragment', 'form_post', 'web_message', 'jwt']) {
      expect(await errorOf({ response_mode: mode }), mode).toBe('unsupported_response_mode');
    }
    expect(await errorOf({ response_mode: 'query' })).toBeUndefined();
  });

  test('unknown parameters are ignored, and a parameter without a value counts as absent', async () => {
    const ofOpenId = {
      nonce: 'n',
      max_age: '3600',
      acr_values: 'a',
      claims_locales: 'de',
      id_token_hint: 'h',
      claims: '{}',
    };
    const unknown = { ui_locales: 'de-CH', access_type: 'offline', audience: 'a', foo: 'bar' };
    const empty = { response_mode: '', prompt: '', nonce: '', max_age: '', resource: '', request: '' };
    for (const [name, value] of Object.entries({ ...ofOpenId, ...unknown })) {
      expect(await errorOf({ scope: 'mcp:tools', [name]: value }), name).toBeUndefined();
    }
    for (const scope of ['mcp:tools', 'openid mcp:tools']) {
      expect(await errorOf({ scope, ...empty }), scope).toBeUndefined();
    }
    // in a request for an identity they have a meaning
    for (const name of ['max_age', 'id_token_hint']) {
      expect(await errorOf({ scope: 'openid mcp:tools', [name]: 'x' }), name).toBe('invalid_request');
    }
  });

  test('prompt=none shows no page: login_required without a session, consent_required with one', async () => {
    expect(await errorOf({ prompt: 'none' })).toBe('login_required');
    const browser = newBrowser();
    await browser.signInWeb();
    expect(await errorOf({ prompt: 'none' }, browser)).toBe('consent_required');
  });

  test('a server that is not deployed has neither metadata nor a sign-in, and existing sign-ins stay', async () => {
    const { publicUrl } = running;
    const resource = `${publicUrl}/s/travel/mcp`;
    const metadata = () => fetch(`${publicUrl}/.well-known/oauth-protected-resource/s/travel/mcp`);
    const client = await newBrowser().signInMcpClient({ resource });
    expect((await metadata()).status).toBe(200);
    expect(await errorOf({ resource: `${publicUrl}/s/nothing/mcp` })).toBe('invalid_target');

    deployed.delete('travel');
    const gone = await metadata();
    expect(gone.status).toBe(404);
    expect(await gone.json()).toMatchObject({ success: false, code: 'not_found' });
    expect(await errorOf({ resource })).toBe('invalid_target');
    const refreshed = await fetch(`${publicUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: client.clientId,
        refresh_token: client.refreshToken,
        resource,
      }),
    });
    expect(refreshed.status).toBe(200);
    deployed.add('travel');
  });
});
