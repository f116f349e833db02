import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const refreshForm = { grant_type: 'refresh_token', client_id: 'frontend' };

describeOnDatabases('concurrent requests', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());
  const newBrowser = () => new ScriptedBrowser(running.publicUrl);

  test('two concurrent first sign-ins of one user create one user', async () => {
    const email = 'twice@souk.test';
    await Promise.all([1, 2, 3, 4].map(() => newBrowser().signInWeb({ email })));
    const { rows } = await running.db.query(`select id from users where email = $1`, [email]);
    expect(rows).toHaveLength(1);
  });

  test('of six concurrent uses of one code, at most one gets tokens', async () => {
    const browser = newBrowser();
    const { code, verifier } = await browser.authorizeWeb();
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map(() => newBrowser().redeemWeb(code, verifier)));
    expect(answers.filter((answer) => answer.status === 200).length).toBe(1);
  });

  test('[SIGN-32] the ticket works once: of six concurrent swaps one gets tokens', async () => {
    const left = await newBrowser().signIn('/auth/google?return_to=/auth/success', { email: 'bea@souk.test' });
    const ticket = {
      grant_type: 'urn:souk:grant:handoff',
      client_id: 'frontend',
      token: left.searchParams.get('token') ?? '',
    };
    const answers = await Promise.all(Array.from({ length: 6 }, () => newBrowser().postForm('/oauth/token', ticket)));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const late = await newBrowser().postForm('/oauth/token', ticket);
    expect(late.status).toBe(400);
    expect(await late.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('six concurrent retries of one renewal get the same token, and the sign-in stays valid', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const cookie = browser.cookie('souk_refresh') ?? '';
    const tabs = [1, 2, 3, 4, 5, 6].map(() => {
      const tab = newBrowser();
      tab.setCookie('souk_refresh', cookie, '/oauth');
      return tab;
    });
    const form = { ...refreshForm, renewal: 'a'.repeat(22) };
    const answers = await Promise.all(tabs.map((tab) => tab.postForm('/oauth/token', form)));
    expect(answers.map((answer) => answer.status)).toEqual([200, 200, 200, 200, 200, 200]);
    expect(new Set(tabs.map((tab) => tab.cookie('souk_refresh'))).size).toBe(1);
    expect((await tabs[0]?.postForm('/oauth/token', refreshForm))?.status).toBe(200);
  });

  test('of six concurrent refreshes with one cookie, exactly one wins', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const cookie = browser.cookie('souk_refresh') ?? '';
    const tabs = [1, 2, 3, 4, 5, 6].map(() => {
      const tab = newBrowser();
      tab.setCookie('souk_refresh', cookie);
      return tab;
    });
    const answers = await Promise.all(tabs.map((tab) => tab.postForm('/oauth/token', refreshForm)));
    expect(answers.filter((answer) => answer.status === 200)).toHaveLength(1);
  });

  test('fifty concurrent equal registrations create one client, with any loopback ports', async () => {
    const ids = await Promise.all(
      Array.from({ length: 50 }, async (_, n) => {
        const answer = await fetch(`${running.publicUrl}/oauth/register`, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ client_name: 'Storm', redirect_uris: [`http://127.0.0.1:${40_000 + n}/callback`] }),
        });
        const { client_id: clientId }: { client_id: string } = JSON.parse(await answer.text());
        return clientId;
      }),
    );
    expect(new Set(ids).size).toBe(1);
    const { rows } = await running.db.query(
      `select 1 from oauth_records where model = 'Client' and payload->>'client_name' = 'Storm'`,
    );
    expect(rows).toHaveLength(1);
  });
});
