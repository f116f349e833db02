import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { migrations } from '../../migrations.ts';
import { startFakeGoogle, type FakeGoogle } from './testing/fake-google.ts';
import { ProviderBrowser } from './testing/provider-browser.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

let db: Database;
let google: FakeGoogle;
let running: RunningIdentity;
beforeAll(async () => {
  db = await openTestDatabase(migrations);
  google = await startFakeGoogle('google-client');
  const environment = { GOOGLE_CLIENT_ID: 'google-client', GOOGLE_CLIENT_SECRET: 'google-secret' };
  running = await startIdentity({ db, environment, googleIssuer: google.issuer });
});
afterAll(async () => {
  await running.close();
  await google.close();
  await db.close();
});

const good = { sub: 'good', email: 'good@person.test', name: 'Good' };

async function signIn(person: Partial<FakeGoogle['person']>) {
  google.person = { ...good, ...person };
  const { accessToken } = await new ProviderBrowser(running.publicUrl, google.issuer).signInWeb({ provider: 'google' });
  const headers = { authorization: `Bearer ${accessToken}` };
  const answer = await fetch(`${running.publicUrl}/v2/user/profile`, { headers });
  return JSON.parse(await answer.text()) as unknown;
}

test.each([
  ['a subject with NUL', { sub: 'a\0b' }],
  ['a subject with a text-direction override', { sub: 'a\u202Eb' }],
  ['a long subject', { sub: 's'.repeat(256) }],
  ['an address with NUL', { email: 'a\0b@person.test' }],
  ['an address with an invisible character', { email: 'go\u200Bod@person.test' }],
  ['an address with half a surrogate pair', { email: 'a\uD800@person.test' }],
  ['two addresses', { email: 'good@person.test other@person.test' }],
  ['an address without a domain', { email: 'good@' }],
  ['an empty address', { email: '' }],
  ['a long address', { email: `${'a'.repeat(309)}@person.test` }],
])('%s is refused with a page, and nothing is stored', async (_what, person) => {
  const { rows: before } = await db.query('select id from users');
  await expect(signIn(person)).rejects.toThrow(/stopped at 400[^]*The answer of the sign-in provider is not valid/);
  expect((await db.query('select id from users')).rows).toEqual(before);
  await expect(signIn({})).resolves.toMatchObject({ email: good.email, displayName: 'Good' });
});

test.each([
  ['NUL, a line break and an override', 'Ma\0x\n\u202EMuster', 'Ma x Muster'],
  ['no visible characters', '\u200B\u202E \0', 'good'],
  ['nothing', '', 'good'],
  ['more than a line', 'M'.repeat(50_000), 'M'.repeat(100)],
  ['letters of other scripts', 'Жанна 山田 é', 'Жанна 山田 é'],
])('a name with %s is shown cleaned and cut', async (_what, name, shown) => {
  await expect(signIn({ name })).resolves.toMatchObject({ displayName: shown });
});

test('a response with NUL in its parameters shows a page too', async () => {
  for (const query of ['state=a%00b&code=c', 'code=a%00b', 'state=%00&iss=%00&code=%00']) {
    const browser = new ProviderBrowser(running.publicUrl, google.issuer);
    const back = new URL(await browser.leave('/auth/google'));
    const asked = new URLSearchParams(query);
    if (!asked.has('state')) asked.set('state', back.searchParams.get('state') ?? '');
    back.search = asked.toString();
    const answer = await browser.open(back);
    expect('page' in answer && [answer.page.status, answer.page.text]).toEqual([
      400,
      expect.stringContaining('Sign-in did not work'),
    ]);
  }
});
