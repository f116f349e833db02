import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '#testing/databases/databases.ts';
import type { Database } from '#platform/db/database.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const allTokens = ['web', 'admin', 'client', 'personal', 'adminPersonal', 'none', 'garbage'] as const;
type Token = (typeof allTokens)[number];
type Access = 'public' | 'user' | 'account' | 'refresh' | 'admin';

describe('what each token opens', () => {
  let db: Database;
  let running: RunningIdentity;
  const tokens = new Map<Token, string>();
  beforeAll(async () => {
    db = await openTestDatabase(migrations);
    running = await startIdentity({ db });
    const browser = () => new ScriptedBrowser(running.publicUrl);
    tokens.set('web', (await browser().signInWeb({ email: 'bea@souk.test' })).accessToken);
    tokens.set('admin', (await browser().signInWeb({ email: 'admin@souk.test' })).accessToken);
    tokens.set('client', (await browser().signInMcpClient({ email: 'bea@souk.test' })).accessToken);
    const personal = (email: string) => running.identity.createPersonalToken({ email, name: 'test' });
    tokens.set('personal', (await personal('bea@souk.test')).token);
    tokens.set('adminPersonal', (await personal('admin@souk.test')).token);
    tokens.set('garbage', 'not.a.token');
  });
  afterAll(async () => {
    await running.close();
    await db.close();
  });

  async function ask(token: Token, access: Access, method: 'GET' | 'POST') {
    const value = tokens.get(token);
    const answer = await fetch(`${running.publicUrl}/probe/${access}`, {
      method,
      ...(value !== undefined && { headers: { authorization: `Bearer ${value}` } }),
    });
    const body: Record<string, unknown> = JSON.parse(await answer.text());
    return answer.ok ? (body['userId'] === null ? 'nobody' : 'caller') : `${answer.status} ${String(body['code'])}`;
  }
  async function read(path: string, token: Token) {
    const value = tokens.get(token);
    const headers: Record<string, string> = value === undefined ? {} : { authorization: `Bearer ${value}` };
    const answer = await fetch(running.publicUrl + path, { headers });
    return { status: answer.status, body: await answer.json() };
  }
  const unauthenticated = '401 unauthenticated';
  const required = '401 authentication_required';
  const denied = '403 admin_required';

  async function outcomes(access: Access, method: 'GET' | 'POST', expected: Partial<Record<Token, string>>) {
    const found: Partial<Record<Token, string>> = {};
    for (const token of allTokens) if (token in expected) found[token] = await ask(token, access, method);
    return found;
  }

  test('public reads work with any token and with none', async () => {
    const expected = {
      web: 'nobody',
      client: 'nobody',
      personal: 'nobody',
      none: 'nobody',
      garbage: 'nobody',
    };
    expect(await outcomes('public', 'GET', expected)).toEqual(expected);
  });
  test('[TOK-11] [TOK-12] [TOK-13] [TOK-14] a refresh acts for a web token only: a personal token and no token re-read, a client is refused', async () => {
    const expected = {
      web: 'caller',
      client: unauthenticated,
      personal: 'nobody',
      none: 'nobody',
      garbage: unauthenticated,
    };
    expect(await outcomes('refresh', 'POST', expected)).toEqual(expected);
  });
  test('[TOK-15] [TOK-17] [TOK-18] reads of the API accept web and personal tokens', async () => {
    const expected = {
      web: 'caller',
      client: unauthenticated,
      personal: 'caller',
      none: required,
      garbage: unauthenticated,
    };
    expect(await outcomes('user', 'GET', expected)).toEqual(expected);
  });
  test('[TOK-15] [TOK-17] [TOK-18] writes of the API accept web tokens only', async () => {
    const expected = { web: 'caller', client: unauthenticated, personal: unauthenticated, none: required };
    expect(await outcomes('user', 'POST', expected)).toEqual(expected);
  });
  test('[TOK-19] [TOK-20] [TOK-21] [TOK-22] the account accepts web tokens only, for reads too', async () => {
    const expected = {
      web: 'caller',
      client: unauthenticated,
      personal: unauthenticated,
      none: required,
    };
    expect(await outcomes('account', 'GET', expected)).toEqual(expected);
  });
  test('administration accepts the web token of an administrator only', async () => {
    const expected = {
      admin: 'caller',
      web: denied,
      client: unauthenticated,
      personal: denied,
      adminPersonal: denied,
      none: required,
    };
    expect(await outcomes('admin', 'GET', expected)).toEqual(expected);
  });

  test('[TOK-5] a personal token opens every MCP endpoint', async () => {
    for (const path of ['/mcp', '/s/travel/mcp', '/s/notes/mcp']) {
      const answer = await fetch(running.publicUrl + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.get('personal')}` },
      });
      expect(answer.status, path).toBe(200);
    }
  });

  test('a token in the query string or a cookie is ignored', async () => {
    const web = tokens.get('web') ?? '';
    const url = `${running.publicUrl}/probe/user?access_token=${web}&token=${web}`;
    expect((await fetch(url, { headers: { cookie: `auth-token=${web}` } })).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: `Basic ${web}` } })).status).toBe(401);
  });

  test('[ERR-1] [ERR-2] [ERR-10] 401 asks for a new sign-in in the words of the catalogue, 403 says that permissions are missing', async () => {
    const refusal = (status: number, code: string, message: string) => ({
      status,
      body: { success: false, code, message },
    });
    expect(await read('/v2/user/profile', 'garbage')).toEqual(
      refusal(401, 'unauthenticated', 'Authentication failed. Please log in again.'),
    );
    expect(await read('/v2/user/profile', 'none')).toEqual(
      refusal(401, 'authentication_required', 'Authentication required. Please log in.'),
    );
    expect(await read('/probe/admin', 'web')).toEqual(
      refusal(403, 'admin_required', 'Access denied. Admin privileges required.'),
    );
  });
});
