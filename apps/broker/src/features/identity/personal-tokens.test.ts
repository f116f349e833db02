import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clock } from '#platform/clock.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

describeOnEmbedded('personal access tokens', migrations, (open) => {
  let running: RunningIdentity;
  let bea: string;
  let carl: string;
  let aheadMs = 0;
  const clock: Clock = { now: () => Date.now() + aheadMs };
  beforeAll(async () => {
    running = await startIdentity({ db: await open(), clock });
    const signIn = async (email: string) =>
      (await new ScriptedBrowser(running.publicUrl).signInWeb({ email })).accessToken;
    bea = await signIn('bea@souk.test');
    carl = await signIn('carl@souk.test');
  });
  afterAll(() => running.close());

  async function send(token: string, method: string, path: string, body?: unknown) {
    const answer = await fetch(running.publicUrl + path, {
      method,
      headers: {
        ...(token !== '' && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { 'content-type': 'application/json' }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const parsed: Record<string, unknown> = JSON.parse(await answer.text());
    return { status: answer.status, body: parsed };
  }
  const create = (body: unknown, token = bea) => send(token, 'POST', '/auth/pat/create', body);
  const useAt = async (token: string) => (await send(token, 'POST', '/mcp')).status;

  test('[PAT-1] a token is created with name, scopes and expiry, shown once, and works at /mcp', async () => {
    const { status, body } = await create({ name: ' ci ', scopes: ['mcp:tools'], expiresInDays: 30 });
    expect(status).toBe(200);
    expect(body).toMatchObject({ success: true, error: null, name: 'ci', scopes: ['mcp:tools'], status: 'active' });
    expect(body['token']).toMatch(/^souk_pat_[\w-]{43}$/);
    const days = (Date.parse(String(body['expiresAt'])) - Date.parse(String(body['createdAt']))) / 86_400_000;
    expect(days).toBe(30);
    expect(await useAt(String(body['token']))).toBe(200);
  });

  test('a token has all three scopes and ninety days unless it says otherwise', async () => {
    const { body } = await create({ name: 'default' });
    expect(body['scopes']).toEqual(['mcp:tools', 'mcp:prompts', 'mcp:resources']);
    expect((Date.parse(String(body['expiresAt'])) - Date.parse(String(body['createdAt']))) / 86_400_000).toBe(90);
  });

  test("[PAT-2] the list has only the caller's tokens, newest first, without the token values", async () => {
    const { accessToken: dora } = await new ScriptedBrowser(running.publicUrl).signInWeb({ email: 'dora@souk.test' });
    const older = await create({ name: 'older' }, dora);
    aheadMs = 60_000;
    try {
      // created between the two, by another user
      await create({ name: 'of another' });
      aheadMs = 120_000;
      const newer = await create({ name: 'newer' }, dora);
      const { body } = await send(dora, 'GET', '/auth/pat/list');
      const listed = ({ body: { id, name, createdAt } }: typeof newer) =>
        expect.objectContaining({ id, name, createdAt, lastUsedAt: null });
      expect(body).toEqual({ success: true, error: null, tokens: [listed(newer), listed(older)] });
      for (const { body: made } of [older, newer]) expect(JSON.stringify(body)).not.toContain(String(made['token']));
    } finally {
      aheadMs = 0;
    }
  });

  test('[PAT-3] [PAT-5] a revoked token is refused immediately', async () => {
    const { body } = await create({ name: 'short-lived' });
    const token = String(body['token']);
    expect(await useAt(token)).toBe(200);
    const heard = new Promise<string | undefined>((resolve) =>
      running.identity.onRevoked((one) => resolve(one.tokenId)),
    );
    const revoked = await send(bea, 'DELETE', `/auth/pat/${String(body['id'])}`);
    expect(revoked).toEqual({ status: 200, body: { success: true, error: null } });
    expect(await useAt(token)).toBe(401);
    expect((await send(token, 'GET', '/v2/user/profile')).status).toBe(401);
    expect(await heard).toBe(body['id']);
  });

  test("[PAT-4] the stats count the caller's tokens by status, and show the last use", async () => {
    const email = 'stats@souk.test';
    const token = (await new ScriptedBrowser(running.publicUrl).signInWeb({ email })).accessToken;
    const [, expired, revoked, used] = [
      await create({ name: 'expires', expiresInDays: 1 }, token),
      await create({ name: 'expires too', expiresInDays: 1 }, token),
      await create({ name: 'is revoked' }, token),
      await create({ name: 'is used' }, token),
    ];
    await create({ name: 'lies idle' }, token);
    await create({ name: 'lies idle too' }, token);
    const foreign = await create({ name: 'of another' });
    await send(token, 'DELETE', `/auth/pat/${String(revoked.body['id'])}`);
    const statsNow = async () => Object(await send(token, 'GET', '/auth/pat/stats')).body;
    expect(await statsNow()).toEqual({
      success: true,
      error: null,
      stats: { total: 6, active: 5, expired: 0, revoked: 1, lastUsedAt: null },
    });
    aheadMs = 2 * 86_400_000;
    try {
      expect(await useAt(String(expired.body['token']))).toBe(401);
      expect(await useAt(String(used.body['token']))).toBe(200);
      const usedAtMs = Date.now() + aheadMs;
      await waitUntil('the use is written', async () => (await statsNow()).stats.lastUsedAt !== null);
      // a later use of another user's token does not count
      aheadMs += 3_600_000;
      expect(await useAt(String(foreign.body['token']))).toBe(200);
      await waitUntil('that use is written', async () => {
        const { body } = await send(bea, 'GET', '/auth/pat/list');
        return Object(body).tokens.some(
          ({ id, lastUsedAt }: Record<string, unknown>) => id === foreign.body['id'] && lastUsedAt !== null,
        );
      });
      const { success, error, stats } = await statsNow();
      expect({ success, error, stats }).toEqual({
        success: true,
        error: null,
        stats: { total: 6, active: 3, expired: 2, revoked: 1, lastUsedAt: expect.any(String) },
      });
      expect(Date.parse(stats.lastUsedAt)).toBeLessThanOrEqual(usedAtMs);
    } finally {
      aheadMs = 0;
    }
  });

  test('[PAT-6] bad input is refused with the text of the specification and the fields', async () => {
    const bad: [unknown, string][] = [
      [{}, 'name'],
      [{ name: '   ' }, 'name'],
      [{ name: 'x'.repeat(81) }, 'name'],
      [{ name: 'a', scopes: [] }, 'scopes'],
      [{ name: 'a', scopes: ['admin'] }, 'scopes.0'],
      [{ name: 'a', expiresInDays: 0 }, 'expiresInDays'],
      [{ name: 'a', expiresInDays: 367 }, 'expiresInDays'],
      [{ name: 'a', expiresInDays: 1.5 }, 'expiresInDays'],
      [{ name: 'a', expiresInDays: '7' }, 'expiresInDays'],
    ];
    for (const [input, path] of bad) {
      const { status, body } = await create(input);
      expect(status).toBe(400);
      expect(body).toMatchObject({
        success: false,
        code: 'pat_create_failed',
        message: 'Failed to create PAT',
        error: 'Failed to create PAT',
        issues: [{ path }],
      });
    }
  });

  test("[PAT-8] an unknown token, a revoked one and another user's token all give 'Failed to revoke PAT'", async () => {
    const foreign = await create({ name: 'of carl' }, carl);
    for (const id of ['nonsense', '018f0000-0000-7000-8000-000000000000', String(foreign.body['id'])]) {
      const { status, body } = await send(bea, 'DELETE', `/auth/pat/${id}`);
      expect(status, id).toBe(404);
      expect(body).toMatchObject({ success: false, message: 'Failed to revoke PAT', error: 'Failed to revoke PAT' });
    }
    expect(await useAt(String(foreign.body['token']))).toBe(200);
  });

  test('[TOK-19] [TOK-20] [TOK-21] [TOK-22] a personal token cannot create another one, nor can a client or an anonymous caller', async () => {
    const personal = String((await create({ name: 'minter' })).body['token']);
    const client = (await new ScriptedBrowser(running.publicUrl).signInMcpClient()).accessToken;
    for (const token of [personal, client, '']) {
      const { status, body } = await create({ name: 'minted' }, token);
      expect(status).toBe(401);
      expect(body).toMatchObject({ success: false });
      expect(body['error']).toBe(body['message']);
      expect((await send(token, 'GET', '/auth/pat/list')).status).toBe(401);
    }
  });

  test('the last use is recorded, at most once a minute', async () => {
    const { body } = await create({ name: 'used' });
    const { body: other } = await create({ name: 'used later' });
    const lastUsed = async (id = String(body['id'])) => {
      const { rows } = await running.db.query<{ last_used_at: Date | null }>(
        `select last_used_at from personal_tokens where id = $1`,
        [id],
      );
      return rows[0]?.last_used_at?.getTime();
    };
    await useAt(String(body['token']));
    await waitUntil('the use is written', async () => (await lastUsed()) !== undefined);
    const first = await lastUsed();
    aheadMs = 30_000;
    await useAt(String(body['token']));
    await useAt(String(other['token']));
    await waitUntil('a use after that is written', async () => (await lastUsed(String(other['id']))) !== undefined);
    expect(await lastUsed()).toBe(first);
    aheadMs = 61_000;
    await useAt(String(body['token']));
    await waitUntil('the later use is written', async () => (await lastUsed()) !== first);
    aheadMs = 0;
  });

  test('[CFG-24] the operator creates a token for a user of the stand-in who never signed in', async () => {
    const made = await running.identity.createPersonalToken({ email: 'New@souk.test', name: 'operator' });
    expect(await useAt(made.token)).toBe(200);
    const { body } = await send(made.token, 'GET', '/v2/user/profile');
    expect(body).toMatchObject({ email: 'new@souk.test', provider: 'dev' });
    const signedIn = await new ScriptedBrowser(running.publicUrl).signInWeb({ email: 'new@souk.test' });
    const same = await send(signedIn.accessToken, 'GET', '/v2/user/profile');
    expect(same.body['id']).toBe(body['id']);
    await expect(running.identity.createPersonalToken({ email: 'x', name: 'a' })).rejects.toThrow('e-mail');
    await expect(running.identity.createPersonalToken({ email: 'a@souk.test', name: '' })).rejects.toThrow('name');
  });
});

describeOnEmbedded('personal access tokens without their table', migrations, (open) => {
  test('[PAT-7] [PAT-9] a failing database gives the text of each call and does not reveal the cause', async () => {
    const db = await open();
    const running = await startIdentity({ db });
    const token = (await new ScriptedBrowser(running.publicUrl).signInWeb()).accessToken;
    await db.query('alter table personal_tokens rename to away');
    const calls: [string, string, string, unknown?][] = [
      ['POST', '/auth/pat/create', 'Failed to create PAT', { name: 'a' }],
      ['GET', '/auth/pat/list', 'Failed to fetch PATs'],
      ['DELETE', '/auth/pat/018f0000-0000-7000-8000-000000000000', 'Failed to revoke PAT'],
      ['GET', '/auth/pat/stats', 'Failed to fetch PAT stats'],
    ];
    for (const [method, path, text, body] of calls) {
      const answer = await fetch(running.publicUrl + path, {
        method,
        headers: {
          authorization: `Bearer ${token}`,
          ...(body !== undefined && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      });
      expect(answer.status).toBeGreaterThanOrEqual(500);
      const answered = await answer.text();
      expect(JSON.parse(answered)).toMatchObject({ success: false, message: text, error: text });
      expect(answered).not.toContain('personal_tokens');
    }
    // restores the database for the next test
    await db.query('alter table away rename to personal_tokens');
    await running.close();
  });
});
