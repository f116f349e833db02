import { expect, test } from 'vitest';
import type { Clock } from '#platform/clock.ts';
import { openTestDatabase } from '#testing/databases.ts';
import { identityMigrations } from './migrations.ts';
import { createRateLimit } from './sign-in/rate-limit.ts';
import { startIdentity } from './testing/start-identity.ts';

test('an address may start so many sign-ins a minute, and again in the next', async () => {
  let nowMs = Date.now();
  const clock: Clock = { now: () => nowMs };
  const db = await openTestDatabase(identityMigrations);
  const running = await startIdentity({ db, clock, environment: { SIGN_IN_PER_MINUTE: '3' } });
  const start = () => fetch(`${running.publicUrl}/auth/google?return_to=/auth/success`, { redirect: 'manual' });
  const statuses = [];
  for (let n = 0; n < 4; n++) statuses.push((await start()).status);
  expect(statuses).toEqual([303, 303, 303, 429]);
  nowMs += 60_000;
  expect((await start()).status).toBe(303);
  await running.close();
  await db.close();
});

test('[CFG-9] ALLOW_DEV_SIGN_IN=1 allows the stand-in at an address beyond loopback, which is refused otherwise', async () => {
  const db = await openTestDatabase(identityMigrations);
  const publicUrl = 'http://souk.example';
  await expect(startIdentity({ db, publicUrl })).rejects.toThrow('stand-in');
  const running = await startIdentity({ db, publicUrl, environment: { ALLOW_DEV_SIGN_IN: '1' } });
  const answer = await running.app.inject({
    url: '/dev-google/.well-known/openid-configuration',
    headers: { host: 'souk.example' },
  });
  expect(answer.json()).toMatchObject({ issuer: 'http://souk.example/dev-google' });
  await running.close();
  await db.close();
});

test('counting addresses does not grow without end', () => {
  const limit = createRateLimit({ now: () => 0 }, 1);
  for (let n = 0; n < 30_000; n++) expect(limit.allow(`address ${n}`)).toBe(true);
  expect(limit.allow('address 29999')).toBe(false);
});
