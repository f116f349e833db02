import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnDatabases } from '#testing/databases.ts';
import { ScriptedBrowser } from '#testing/scripted-browser.ts';
import { identityMigrations } from './migrations.ts';
import { startFakeGoogle, type FakeGoogle, type FakeGoogleFault } from './testing/fake-google.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const google = { GOOGLE_CLIENT_ID: 'souk-client', GOOGLE_CLIENT_SECRET: 'canary-google-secret' };

describeOnDatabases('Google sign-in', identityMigrations, (open) => {
  let fake: FakeGoogle;
  let db: Database;
  let running: RunningIdentity;
  let standInToken: string;
  let standInPersonal: string;
  beforeAll(async () => {
    fake = await startFakeGoogle('souk-client');
    db = await open();
    // The installation ran with the stand-in first: the same address, the same database.
    const before = await startIdentity({ db });
    standInToken = (await new ScriptedBrowser(before.publicUrl).signInWeb({ email: 'real@person.test' })).accessToken;
    standInPersonal = (await before.identity.createPersonalToken({ email: 'real@person.test', name: 'dev' })).token;
    await before.close();
    running = await startIdentity({
      db,
      environment: { ...google, ADMIN_EMAILS: 'REAL@person.test' },
      googleIssuer: fake.issuer,
      publicUrl: before.publicUrl,
      listenPort: Number(new URL(before.publicUrl).port),
    });
  });
  afterAll(async () => {
    await running.close();
    await fake.close();
  });
  const profile = (token: string) =>
    fetch(`${running.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${token}` } });
  /** The page shown at the end of a sign-in that should fail. */
  async function attempt(fault: FakeGoogleFault) {
    fake.fault = fault;
    try {
      const browser = new GoogleBrowser(running.publicUrl, fake.issuer);
      await browser.signInWeb();
      return 'signed in';
    } catch (error) {
      return error instanceof Error ? error.message : 'failed';
    } finally {
      fake.fault = 'none';
    }
  }

  test('[CFG-6] with its client id and secret set, Google signs people in, and the stand-in is gone', async () => {
    const browser = new GoogleBrowser(running.publicUrl, fake.issuer);
    const tokens = await browser.signInWeb();
    expect(await (await profile(tokens.accessToken)).json()).toMatchObject({
      email: 'real@person.test',
      displayName: 'Real Person',
      provider: 'google',
      role: 'admin',
    });
    expect((await fetch(`${running.publicUrl}/dev-google/.well-known/openid-configuration`)).status).toBe(404);
  });

  test('[CFG-42] users and tokens of the stand-in are refused, and its user is not the Google user of the same address', async () => {
    expect((await profile(standInToken)).status).toBe(401);
    expect((await profile(standInPersonal)).status).toBe(401);
    const browser = new GoogleBrowser(running.publicUrl, fake.issuer);
    await browser.signInWeb();
    const { rows } = await db.query(
      `select i.provider, count(distinct u.id)::int as users from users u join identities i on i.user_id = u.id
       where u.email = 'real@person.test' group by i.provider order by i.provider`,
    );
    expect(rows).toEqual([
      { provider: 'dev', users: 1 },
      { provider: 'google', users: 1 },
    ]);
  });

  test('[CFG-25] the operator must name the provider and a user who has signed in', async () => {
    await new GoogleBrowser(running.publicUrl, fake.issuer).signInWeb();
    const create = running.identity.createPersonalToken;
    await expect(create({ email: 'real@person.test', name: 'a' })).rejects.toThrow('provider');
    await expect(create({ email: 'real@person.test', provider: 'dev', name: 'a' })).rejects.toThrow('provider');
    await expect(create({ email: 'nobody@person.test', provider: 'google', name: 'a' })).rejects.toThrow(
      'sign in once',
    );
    const made = await create({ email: 'real@person.test', provider: 'google', name: 'a' });
    expect((await profile(made.token)).status).toBe(200);
  });

  for (const fault of ['nonce', 'audience', 'issuer', 'signature', 'unsigned', 'expired', 'no-email'] as const) {
    test(`an identity token with a wrong ${fault} is refused`, async () => {
      expect(await attempt(fault)).toContain('The answer of the sign-in provider is not valid');
    });
  }

  test('an address that Google has not verified is refused', async () => {
    expect(await attempt('unverified')).toContain('no verified e-mail address');
  });

  test('Google being away is said, and it works again when it is back', async () => {
    const away = await startIdentity({ db, environment: google, googleIssuer: 'http://127.0.0.1:9' });
    await expect(new ScriptedBrowser(away.publicUrl).signInWeb()).rejects.toThrow('Google cannot be reached');
    await away.close();
  });

  test('nothing of Google’s answers, nor its secret, is in the log', async () => {
    await attempt('nonce');
    expect(running.logged()).toContain('a sign-in was refused');
    expect(running.logged()).not.toContain('canary-google-secret');
    expect(running.logged()).not.toContain('upstream-access-token');
  });
});

/** Goes to the fake Google too, instead of stopping where the broker's pages end. */
class GoogleBrowser extends ScriptedBrowser {
  readonly #google: string;
  constructor(publicUrl: string, google: string) {
    super(publicUrl);
    this.#google = google;
  }
  override async open(url: string | URL, init: RequestInit = {}): ReturnType<ScriptedBrowser['open']> {
    const step = await super.open(url, init);
    if (!('left' in step) || step.left.origin !== this.#google) return step;
    const answer = await fetch(step.left, { redirect: 'manual' });
    return this.open(answer.headers.get('location') ?? '');
  }
}
