import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openTestDatabase } from '#testing/databases.ts';
import type { Database } from '#platform/db/database.ts';
import { ScriptedBrowser } from '#testing/scripted-browser.ts';
import { identityMigrations } from './migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

type Token = 'web' | 'admin' | 'client' | 'personal' | 'adminPersonal' | 'none' | 'garbage';
type Access = 'public' | 'user' | 'account' | 'refresh' | 'admin';

describe('which token opens what', () => {
  let db: Database;
  let running: RunningIdentity;
  const tokens = new Map<Token, string>();
  beforeAll(async () => {
    db = await openTestDatabase(identityMigrations);
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
  const unauthenticated = '401 unauthenticated';
  const required = '401 authentication_required';
  const denied = '403 admin_required';

  const rows: [string, Access, 'GET' | 'POST', [Token, string][]][] = [
    [
      '[TOK-7] [TOK-8] [TOK-9] [TOK-10] public reads work with any token and none',
      'public',
      'GET',
      [
        ['web', 'nobody'],
        ['client', 'nobody'],
        ['personal', 'nobody'],
        ['none', 'nobody'],
        ['garbage', 'nobody'],
      ],
    ],
    [
      '[TOK-11] [TOK-12] [TOK-13] [TOK-14] a refresh acts for a web token, re-reads for a personal one and none, and refuses a client',
      'refresh',
      'POST',
      [
        ['web', 'caller'],
        ['client', unauthenticated],
        ['personal', 'nobody'],
        ['none', 'nobody'],
        ['garbage', unauthenticated],
      ],
    ],
    [
      '[TOK-15] [TOK-16] [TOK-17] [TOK-18] reads of the API accept web and personal tokens',
      'user',
      'GET',
      [
        ['web', 'caller'],
        ['client', unauthenticated],
        ['personal', 'caller'],
        ['none', required],
        ['garbage', unauthenticated],
      ],
    ],
    [
      '[TOK-15] [TOK-16] [TOK-17] [TOK-18] writes of the API accept web tokens only',
      'user',
      'POST',
      [
        ['web', 'caller'],
        ['client', unauthenticated],
        ['personal', unauthenticated],
        ['none', required],
      ],
    ],
    [
      '[TOK-19] [TOK-20] [TOK-21] [TOK-22] the account accepts web tokens only, for reads too',
      'account',
      'GET',
      [
        ['web', 'caller'],
        ['client', unauthenticated],
        ['personal', unauthenticated],
        ['none', required],
      ],
    ],
    [
      '[TOK-23] [TOK-24] [TOK-25] [TOK-26] administration accepts the web token of an administrator only',
      'admin',
      'GET',
      [
        ['admin', 'caller'],
        ['web', denied],
        ['client', unauthenticated],
        ['personal', denied],
        ['adminPersonal', denied],
        ['none', required],
      ],
    ],
  ];
  for (const [name, access, method, expected] of rows) {
    test(name, async () => {
      for (const [token, outcome] of expected) expect(await ask(token, access, method), token).toBe(outcome);
    });
  }

  test('[TOK-5] a personal token opens every MCP endpoint', async () => {
    for (const path of ['/mcp', '/s/travel/mcp', '/s/notes/mcp']) {
      const answer = await fetch(running.publicUrl + path, {
        method: 'POST',
        headers: { authorization: `Bearer ${tokens.get('personal')}` },
      });
      expect(answer.status, path).toBe(200);
    }
  });

  test('a token in the query string or a cookie counts for nothing', async () => {
    const web = tokens.get('web') ?? '';
    const url = `${running.publicUrl}/probe/user?access_token=${web}&token=${web}`;
    expect((await fetch(url, { headers: { cookie: `auth-token=${web}` } })).status).toBe(401);
    expect((await fetch(url, { headers: { authorization: `Basic ${web}` } })).status).toBe(401);
  });

  test('[ERR-1] [ERR-2] [ERR-10] 401 asks for a new sign-in in the words of the catalogue, 403 says that permissions are missing', async () => {
    const read = async (path: string, token: Token) => {
      const value = tokens.get(token);
      const headers: Record<string, string> = value === undefined ? {} : { authorization: `Bearer ${value}` };
      return (await fetch(running.publicUrl + path, { headers })).json();
    };
    expect(await read('/v2/user/profile', 'garbage')).toEqual({
      success: false,
      code: 'unauthenticated',
      message: 'Authentication failed. Please log in again.',
    });
    expect(await read('/v2/user/profile', 'none')).toEqual({
      success: false,
      code: 'authentication_required',
      message: 'Authentication required. Please log in.',
    });
    expect(await read('/probe/admin', 'web')).toEqual({
      success: false,
      code: 'admin_required',
      message: 'Access denied. Admin privileges required.',
    });
  });
});
