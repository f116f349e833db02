import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

let db: Database;
beforeAll(async () => {
  db = await openTestDatabase(migrations);
});
afterAll(() => db.close());

const get = async (
  running: RunningIdentity,
  path: string,
  token: string,
): Promise<{ status: number; body: unknown }> => {
  const answer = await fetch(running.publicUrl + path, { headers: { authorization: `Bearer ${token}` } });
  return { status: answer.status, body: await answer.json() };
};

test('[ADM-5] the role follows ADMIN_EMAILS from one start to the next, and a personal token never has it', async () => {
  const email = 'chief@souk.test';
  const before = await startIdentity({ db });
  const first = await new ScriptedBrowser(before.publicUrl).signInWeb({ email });
  const { token } = await before.identity.createPersonalToken({ email, name: 'x' });
  expect(await get(before, '/v2/user/profile', first.accessToken)).toMatchObject({ body: { role: 'user' } });
  expect(await get(before, '/probe/admin', first.accessToken)).toMatchObject({ status: 403 });
  await before.close();

  const address = { publicUrl: before.publicUrl, listenPort: Number(new URL(before.publicUrl).port) };
  const named = await startIdentity({ db, ...address, environment: { ADMIN_EMAILS: 'Chief@Souk.test' } });
  // The earlier token is still valid, and now belongs to an administrator.
  expect(await get(named, '/v2/user/profile', first.accessToken)).toMatchObject({ body: { role: 'admin' } });
  expect(await get(named, '/probe/admin', first.accessToken)).toMatchObject({ status: 200 });
  expect(await get(named, '/probe/admin', token)).toMatchObject({
    status: 403,
    body: { message: 'Access denied. Admin privileges required.' },
  });
  await named.close();

  const after = await startIdentity({ db, ...address, environment: { ADMIN_EMAILS: 'somebody@else.test' } });
  expect(await get(after, '/probe/admin', first.accessToken)).toMatchObject({ status: 403 });
  await after.close();
});

test('the last sign-in is recorded: a sign-in at the provider counts, opening a page does not', async () => {
  let nowMs = Date.parse('2026-05-01T10:00:00Z');
  const clock: Clock = { now: () => nowMs };
  const running = await startIdentity({ db, clock });
  const email = 'regular@souk.test';
  const lastSignIn = async () => {
    const { rows } = await db.query<{ created_at: Date; last_login_at: Date }>(
      `select created_at, last_login_at from users where email = $1`,
      [email],
    );
    return rows.map((row) => [row.created_at.toISOString(), row.last_login_at.toISOString()]);
  };
  await new ScriptedBrowser(running.publicUrl).signIn('/auth/google?return_to=/auth/success', { email });
  expect(await lastSignIn()).toEqual([['2026-05-01T10:00:00.000Z', '2026-05-01T10:00:00.000Z']]);
  nowMs += 3_600_000;
  await new ScriptedBrowser(running.publicUrl).signIn('/auth/google?return_to=/auth/success', { email });
  expect(await lastSignIn()).toEqual([['2026-05-01T10:00:00.000Z', '2026-05-01T11:00:00.000Z']]);
  await running.close();
});

test("[ADM-8] without ADMIN_EMAILS the stand-in's page offers one administrator, admin@souk.test", async () => {
  const running = await startIdentity({ db });
  try {
    const start = await new ScriptedBrowser(running.publicUrl).open('/auth/google?return_to=/auth/success');
    const text = 'page' in start ? start.page.text : '';
    expect(text).toContain('admin@souk.test');
    expect(text.match(/administrator/g)).toHaveLength(1);
    const profileOf = async (email: string) => {
      const { accessToken } = await new ScriptedBrowser(running.publicUrl).signInWeb({ email });
      return (await get(running, '/v2/user/profile', accessToken)).body;
    };
    expect(await profileOf('admin@souk.test')).toMatchObject({ provider: 'dev', role: 'admin' });
    for (const email of ['bea@souk.test', 'carl@souk.test', 'admin@souk.test.example'])
      expect(await profileOf(email), email).toMatchObject({ provider: 'dev', role: 'user' });
  } finally {
    await running.close();
  }
});
