import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

let nowMs = Date.now();
const clock: Clock = { now: () => nowMs };
const environment = { SIGN_IN_PER_MINUTE: '3' };
let db: Database;
let direct: RunningIdentity;
let behindProxy: RunningIdentity;

beforeAll(async () => {
  db = await openTestDatabase(migrations);
  direct = await startIdentity({ db, clock, environment });
  behindProxy = await startIdentity({
    db,
    clock,
    environment: { ...environment, TRUST_PROXY: '127.0.0.1,10.0.0.0/8' },
  });
});
afterAll(async () => {
  await direct.close();
  await behindProxy.close();
  await db.close();
});

async function start(running: RunningIdentity, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(`${running.publicUrl}/auth/google?return_to=/auth/success`, { redirect: 'manual', headers });
}
/** Statuses of four sequential starts from these addresses, in a new minute. */
async function startFour(running: RunningIdentity, forwarded: (n: number) => string | undefined): Promise<number[]> {
  nowMs += 60_000;
  const statuses = [];
  for (let n = 0; n < 4; n++) {
    const header = forwarded(n);
    statuses.push((await start(running, header === undefined ? {} : { 'x-forwarded-for': header })).status);
  }
  return statuses;
}
const limited = [303, 303, 303, 429];
const free = [303, 303, 303, 303];

test('an address may start this many sign-ins a minute, and again in the next minute', async () => {
  expect(await startFour(direct, () => undefined)).toEqual(limited);
  nowMs += 60_000;
  expect((await start(direct)).status).toBe(303);
});

test('above the limit a program gets the error with Retry-After, and a browser a page that says so', async () => {
  await startFour(direct, () => undefined);
  const program = await start(direct);
  expect(program.headers.get('retry-after')).toBe('60');
  expect(await program.json()).toEqual({
    success: false,
    code: 'rate_limited',
    message: 'Too many requests. Please wait a moment and try again.',
  });
  const browser = await start(direct, { accept: 'text/html' });
  expect(browser.status).toBe(429);
  expect(browser.headers.get('retry-after')).toBe('60');
  expect(browser.headers.get('content-type')).toContain('text/html');
  expect(await browser.text()).toContain('Too many requests. Please wait a moment and try again.');
});

test('without TRUST_PROXY a forged X-Forwarded-For changes nothing', async () => {
  expect(await startFour(direct, (n) => `203.0.113.${n}`)).toEqual(limited);
});

test('with TRUST_PROXY each address behind the proxy is counted separately', async () => {
  expect(await startFour(behindProxy, (n) => `203.0.113.${n}`)).toEqual(free);
  expect(await startFour(behindProxy, () => '203.0.113.9')).toEqual(limited);
});

test('the rightmost address that is not our proxy counts: addresses that a client adds before it are ignored', async () => {
  expect(await startFour(behindProxy, (n) => `198.51.100.${n}, 203.0.113.9`)).toEqual(limited);
  expect(await startFour(behindProxy, (n) => `198.51.100.${n}, 203.0.113.9, 10.1.2.3`)).toEqual(limited);
});

test('the addresses of one IPv6 network of 64 bits are counted together', async () => {
  expect(await startFour(behindProxy, (n) => `2001:db8:1:2:${n}::${n}`)).toEqual(limited);
  expect(await startFour(behindProxy, (n) => `2001:db8:1:${n}::1`)).toEqual(free);
});

test('[CFG-9] ALLOW_DEV_SIGN_IN=1 allows the stand-in at an address beyond loopback, which is refused otherwise', async () => {
  const publicUrl = 'http://souk.example';
  await expect(startIdentity({ db, publicUrl })).rejects.toThrow('stand-in');
  const running = await startIdentity({ db, publicUrl, environment: { ALLOW_DEV_SIGN_IN: '1' } });
  const answer = await running.app.inject({
    url: '/dev-google/.well-known/openid-configuration',
    headers: { host: 'souk.example' },
  });
  expect(answer.json()).toMatchObject({ issuer: 'http://souk.example/dev-google' });
  await running.close();
});
