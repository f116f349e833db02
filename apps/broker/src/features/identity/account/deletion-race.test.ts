import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { openDatabase } from '#platform/db/open-database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';

describe.skipIf(!hasPostgres())('once the deletion of an account has begun (PostgreSQL)', () => {
  let app: TestApp;
  let begun = () => {};
  let mayEnd: Promise<void> | undefined;
  beforeAll(async () => {
    const url = new URL(await createPostgresDatabase());
    // the test holds a lock for which statements wait: longer than they usually may
    url.searchParams.set('query_timeout', '300000');
    app = await startTestApp({
      db: await openDatabase({ databaseUrl: url.href, dataDir: '', log: createLog('silent'), migrations }),
    });
    // holds the deletion in the middle of its transaction
    app.identity.accountContributors.add({
      name: 'slow',
      export: () => Promise.resolve(undefined),
      erase: async () => {
        begun();
        await mayEnd;
      },
    });
  });
  afterAll(() => app?.stop());

  test('no token of any kind is issued for it', async () => {
    const email = 'ann@example.test';
    const browser = new ScriptedBrowser(app.publicUrl);
    const { accessToken } = await browser.signInWeb({ email });
    const another = new ScriptedBrowser(app.publicUrl);
    const ticket = (await another.signIn('/auth/google?return_to=/auth/success', { email })).searchParams.get('token');
    const client = await browser.signInMcpClient({ email });
    const authorization = `Bearer ${accessToken}`;
    const send = (method: string, path: string, body: object) =>
      fetch(app.publicUrl + path, {
        method,
        headers: { authorization, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const profile = await fetch(`${app.publicUrl}/v2/user/profile`, { headers: { authorization } });
    const { id: userId }: { id: string } = JSON.parse(await profile.text());

    const end = Promise.withResolvers<void>();
    onTestFinished(() => end.resolve());
    const middle = Promise.withResolvers<void>();
    [begun, mayEnd] = [middle.resolve, end.promise];
    const deletion = send('DELETE', `/api/users/${userId}/account`, { confirm: email });
    await middle.promise;

    let ended = 0;
    const count = <T>(work: Promise<T>) => work.finally(() => ended++);
    const scopes = ['mcp:tools'];
    const wishes = [
      count(send('POST', '/auth/pat/create', { name: 'late', scopes, expiresInDays: 1 }).then(({ status }) => status)),
      count(
        app.identity.createPersonalToken({ userId, name: 'operator' }).then(
          () => 200,
          () => 401,
        ),
      ),
      count(
        browser
          .postForm('/oauth/token', {
            grant_type: 'refresh_token',
            client_id: client.clientId,
            refresh_token: client.refreshToken,
          })
          .then(({ status }) => status),
      ),
      count(
        browser
          .postForm('/oauth/token', { grant_type: 'refresh_token', client_id: 'frontend' })
          .then(({ status }) => status),
      ),
      count(
        another
          .postForm('/oauth/token', {
            grant_type: 'urn:souk:grant:handoff',
            client_id: 'frontend',
            token: ticket ?? '',
          })
          .then(({ status }) => status),
      ),
    ];
    await waitUntil('each to have ended, or to wait for the deletion', async () => {
      const { rows } = await app.db.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return ended + (rows[0]?.waiting ?? 0) >= wishes.length;
    });
    end.resolve();
    expect((await deletion).status).toBe(200);
    expect(await Promise.all(wishes)).toEqual([401, 401, 400, 400, 400]);
    const { rows } = await app.db.query(
      `select 'personal' as kind from personal_tokens where user_id = $1::uuid
       union all select model from oauth_records where account_id = $1::text`,
      [userId],
    );
    expect(rows).toEqual([]);
  });

  test('an administrator cannot give it credits or access', async () => {
    const email = 'bob@example.test';
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
    const admin = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'admin@souk.test' });
    const send = (method: string, path: string, body: object, bearer = admin.accessToken) =>
      fetch(app.publicUrl + path, {
        method,
        headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    const [{ id: userId } = {}] = await app.identity.users.find(email);
    const end = Promise.withResolvers<void>();
    onTestFinished(() => end.resolve());
    const middle = Promise.withResolvers<void>();
    [begun, mayEnd] = [middle.resolve, end.promise];
    const deletion = send('DELETE', `/api/users/${userId}/account`, { confirm: email }, accessToken);
    await middle.promise;
    const given = [
      send('PUT', `/admin/users/${userId}/credits`, { credits: 10 }),
      send('POST', `/admin/users/${userId}/subscription`, { type: 'subscription', mcpId: 'pro' }),
    ];
    await waitUntil('both to wait for the deletion', async () => {
      const { rows } = await app.db.query<{ waiting: number }>(
        `select count(*)::int as waiting from pg_stat_activity
         where datname = current_database() and wait_event_type = 'Lock'`,
      );
      return (rows[0]?.waiting ?? 0) >= given.length;
    });
    end.resolve();
    expect((await deletion).status).toBe(200);
    expect((await Promise.all(given)).map(({ status }) => status)).toEqual([404, 404]);
    const { rows } = await app.db.query(
      `select id::text from ledger_entries where user_id = $1 union all select id::text from subscriptions where user_id = $1`,
      [userId],
    );
    expect(rows).toEqual([]);
  });
});
