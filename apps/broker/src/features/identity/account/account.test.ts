import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { dumpDatabase } from '#testing/databases/dump-database.ts';
import { connectLegacy, postRaw } from '#testing/people/mcp-clients.ts';
import { initializeRequest } from '#testing/people/open-session.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { migrations } from '../../../migrations.ts';

describeOnEmbedded('a user and their data', migrations, (open) => {
  let app: TestApp;
  let failing = false;
  beforeAll(async () => {
    app = await startTestApp({ db: await open() });
    app.identity.accountContributors.add({
      name: 'failing',
      export: () => Promise.resolve('of a feature to come'),
      erase: () => (failing ? Promise.reject(new Error('its provider said no')) : Promise.resolve()),
    });
  });
  afterAll(() => app.stop());

  const call = (method: string, path: string, token: string, body?: unknown) =>
    fetch(app.publicUrl + path, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });

  /** Signs in a user with everything that a user can have. */
  async function arrive(email: string) {
    const browser = new ScriptedBrowser(app.publicUrl);
    const { accessToken } = await browser.signInWeb({ email });
    const profile: { id: string } = JSON.parse(await (await call('GET', '/v2/user/profile', accessToken)).text());
    const client = await browser.signInMcpClient({ email, clientName: 'Client of somebody' });
    const { token: personal } = await app.identity.createPersonalToken({ email, name: `Token of ${email}` });
    return { browser, email, accessToken, userId: profile.id, client, personal };
  }
  type Person = Awaited<ReturnType<typeof arrive>>;
  const deactivate = (userId: string) => {
    const how = { endNow: false, confirmAdministrator: false };
    return app.identity.users.deactivate(userId, how, { operator: 'root' });
  };
  const mcpStatus = async (token: string) =>
    (await postRaw(`${app.publicUrl}/mcp`, initializeRequest(), { authorization: `Bearer ${token}` })).status;
  const statuses = async ({ browser, accessToken, client, personal }: Person) => ({
    web: (await call('GET', '/v2/user/profile', accessToken)).status,
    client: await mcpStatus(client.accessToken),
    personal: await mcpStatus(personal),
    refresh: (await browser.postForm('/oauth/token', { grant_type: 'refresh_token', client_id: 'frontend' })).status,
  });
  const allGood = { web: 200, client: 200, personal: 200, refresh: 200 };
  const allRefused = { web: 401, client: 401, personal: 401, refresh: 400 };

  test('the export is a file with everything held about the user, and no secret', async () => {
    const ann = await arrive('exports@example.test');
    const answer = await call('GET', `/api/users/${ann.userId}/export`, ann.accessToken);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-disposition')).toMatch(/^attachment; filename="my-data-\d{4}-\d\d-\d\d\.json"$/);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const text = await answer.text();
    expect(JSON.parse(text)).toMatchObject({
      success: true,
      data: {
        profile: { id: ann.userId, email: ann.email, displayName: 'exports' },
        identities: [{ provider: 'dev', subject: ann.email }],
        accessTokens: [{ name: 'Token of exports@example.test' }],
        connectedApps: expect.arrayContaining([
          expect.objectContaining({ kind: 'client', clientName: 'Client of somebody' }),
          expect.objectContaining({ kind: 'browser' }),
        ]),
        transactions: [],
        usage: [],
        usageByDay: [],
        credits: [],
        connections: { disabledServers: [] },
        failing: 'of a feature to come',
      },
    });
    for (const secret of [ann.accessToken, ann.personal, ann.client.accessToken, ann.client.refreshToken]) {
      expect(text).not.toContain(secret);
    }
  });

  test("another user's export and account do not exist, and only the web app's token opens one's own", async () => {
    const [ann, bob] = [await arrive('ann@example.test'), await arrive('bob@example.test')];
    const confirm = { confirm: ann.email };
    expect((await call('GET', `/api/users/${ann.userId}/export`, bob.accessToken)).status).toBe(404);
    expect((await call('DELETE', `/api/users/${ann.userId}/account`, bob.accessToken, confirm)).status).toBe(404);
    for (const token of [ann.personal, ann.client.accessToken]) {
      expect((await call('GET', `/api/users/${ann.userId}/export`, token)).status).toBe(401);
      expect((await call('DELETE', `/api/users/${ann.userId}/account`, token, confirm)).status).toBe(401);
    }
    expect(await statuses(ann)).toEqual(allGood);
  });

  test('a deletion must be confirmed with the e-mail address', async () => {
    const cleo = await arrive('cleo@example.test');
    for (const body of [{}, { confirm: '' }, { confirm: 'bob@example.test' }]) {
      expect((await call('DELETE', `/api/users/${cleo.userId}/account`, cleo.accessToken, body)).status).toBe(400);
    }
    expect(await statuses(cleo)).toEqual(allGood);
  });

  test("a feature that fails to delete the user's data keeps everything as it was", async () => {
    const cleo = await arrive('cleo@example.test');
    failing = true;
    const path = `/api/users/${cleo.userId}/account`;
    expect((await call('DELETE', path, cleo.accessToken, { confirm: cleo.email })).status).toBe(500);
    failing = false;
    expect(await statuses(cleo)).toEqual(allGood);
    expect(await (await call('GET', '/v2/user/profile', cleo.accessToken)).json()).toMatchObject({ email: cleo.email });
  });

  test('a deleted account leaves nothing that identifies the user, and the same provider account becomes a new user', async () => {
    const dora = await arrive('dora.unmistakable@example.test');
    const legacy = await connectLegacy(`${app.publicUrl}/mcp`, dora.personal);
    await legacy.callTool({ name: 'list_my_servers' });
    await app.db.query(
      `insert into usage_events (call_id, user_id, server_id, kind, name, outcome, credits, duration_ms, client_id, token_id, created_at)
       values (gen_random_uuid(), $1, 'travel', 'tool', 'search', 'ok', 0, 5, 'personal', 'token', now() - interval '61 minutes')`,
      [dora.userId],
    );
    // her answer to a question, on its way to another broker
    await app.db.query(
      `insert into mcp_round_messages (id, broker_id, user_id, kind, target, message, created_at)
       values (gen_random_uuid(), 'broker', $1, 'round', 'call', $2, now())`,
      [dora.userId, JSON.stringify({ answers: { name: dora.email } })],
    );

    await app.db.query(
      `insert into tool_run_messages (id, call_id, user_id, kind, message, created_at)
       values (gen_random_uuid(), 'call', $1, 'answer', $2, now())`,
      [dora.userId, JSON.stringify({ content: { name: dora.email } })],
    );

    await app.usage.flush();
    const path = `/api/users/${dora.userId}/account`;
    const answer = await call('DELETE', path, dora.accessToken, { confirm: ' Dora.Unmistakable@example.test ' });
    expect(answer.status).toBe(200);
    expect(answer.headers.getSetCookie().join()).toContain('souk_refresh=; Max-Age=0');

    expect(await statuses(dora)).toEqual(allRefused);
    await expect(legacy.callTool({ name: 'list_my_servers' })).rejects.toThrow('Authentication failed');
    await legacy.close().catch(() => undefined);
    const left = (await dumpDatabase(app.db)).split('\n').filter((row) => /unmistakable/i.test(row));
    expect(left).toEqual([]);
    const kept = await app.db.query(
      `select u.deleted_at is not null as deleted, e.name from users u join usage_events e on e.user_id = u.id where u.id = $1`,
      [dora.userId],
    );
    // calls of the last hour are deleted by the daily job
    expect(kept.rows).toEqual([{ deleted: true, name: 'list_my_servers' }]);
    // the audit log names who deleted the account: its owner, by id only
    const told = await app.db.query('select * from audit_log where subject = $1', [dora.userId]);
    const row = { actor_id: dora.userId, action: 'user.deleted-own-account', reason: null, details: {}, address: null };
    expect(told.rows).toEqual([expect.objectContaining(row)]);

    const again = await arrive(dora.email);
    expect(again.userId).not.toBe(dora.userId);
    expect(await statuses(again)).toEqual(allGood);
  });

  test('of two concurrent deletions one deletes, and the other finds no account', async () => {
    const eve = await arrive('eve@example.test');
    const path = `/api/users/${eve.userId}/account`;
    const answers = await Promise.all(
      [1, 2, 3].map(() => call('DELETE', path, eve.accessToken, { confirm: eve.email })),
    );
    const sorted = answers.map(({ status }) => status).toSorted();
    expect(sorted).toEqual([200, 401, 401]);
    expect((await app.db.query('select from audit_log where subject = $1', [eve.userId])).rows).toHaveLength(1);
  });

  test('a deactivated user loses access immediately: web, client, personal token, refresh and open sessions', async () => {
    const finn = await arrive('finn@example.test');
    const legacy = await connectLegacy(`${app.publicUrl}/mcp`, finn.personal);
    await legacy.callTool({ name: 'list_my_servers' });
    expect(await statuses(finn)).toEqual(allGood);
    await deactivate(finn.userId);
    expect(await statuses(finn)).toEqual(allRefused);
    await expect(legacy.callTool({ name: 'list_my_servers' })).rejects.toThrow('Authentication failed');
    await legacy.close().catch(() => undefined);
    await expect(new ScriptedBrowser(app.publicUrl).signInWeb({ email: finn.email })).rejects.toThrow(
      'This account has been deactivated.',
    );

    await app.identity.users.activate(finn.userId, { operator: 'root' });
    // Ended sign-ins stay ended; a personal token is the user's to revoke.
    expect(await statuses(finn)).toEqual({ ...allRefused, personal: 200 });
    const back = await arrive(finn.email);
    expect(back.userId).toBe(finn.userId);
    expect(await statuses(back)).toEqual(allGood);
  });

  test('a user who does not exist cannot be deactivated', async () => {
    await expect(deactivate(crypto.randomUUID())).rejects.toThrow('There is no such user');
    const activated = app.identity.users.activate(crypto.randomUUID(), { operator: 'root' });
    await expect(activated).rejects.toThrow('There is no such user');
  });
});
