import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { sha256 } from './hash.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const refreshForm = { grant_type: 'refresh_token', client_id: 'frontend' };

describeOnEmbedded('the web app signs out', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());
  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const profile = (token: string) =>
    fetch(`${running.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${token}` } });

  test('the web client revokes with its cookie, and its access token is refused immediately', async () => {
    const browser = newBrowser();
    const tokens = await browser.signInWeb();
    expect(
      (await browser.postForm('/oauth/revoke', { client_id: 'frontend', token: tokens.refreshToken })).status,
    ).toBe(200);
    expect(browser.cookie('souk_refresh')).toBeUndefined();
    expect((await profile(tokens.accessToken)).status).toBe(401);
  });

  test('POST /oauth/logout ends the session of this browser, its authorization and every cookie, including old ones', async () => {
    const browser = newBrowser();
    const other = newBrowser();
    const [tokens, kept] = [await browser.signInWeb(), await other.signInWeb()];
    browser.setCookie('user_data', 'old');
    browser.setCookie('auth_token', 'old');
    const session = browser.cookie('souk_session') ?? '';
    const refresh = browser.cookie('souk_refresh') ?? '';
    expect((await browser.postForm('/oauth/logout', {})).status).toBe(204);
    for (const name of [
      'souk_refresh',
      'souk_signed_in',
      'souk_session',
      'souk_session.sig',
      'user_data',
      'auth_token',
    ]) {
      expect(browser.cookie(name), name).toBeUndefined();
    }
    expect((await profile(tokens.accessToken)).status).toBe(401);
    // Copies of the cookies are worthless: the rows are deleted.
    browser.setCookie('souk_refresh', refresh, '/oauth');
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
    const rows = await running.db.query(`select 1 from oauth_records where model = 'Session' and id = $1`, [
      sha256(session),
    ]);
    expect(rows.rows).toEqual([]);
    expect((await profile(kept.accessToken)).status).toBe(200);
    expect((await other.postForm('/oauth/token', refreshForm)).status).toBe(200);
  });

  test('[GEN-30] a sign-out from another site is refused, and a sign-out without a sign-in has no effect', async () => {
    const browser = newBrowser();
    const tokens = await browser.signInWeb();
    const foreign = await browser.postForm('/oauth/logout', {}, { origin: 'https://evil.test' });
    expect(foreign.status).toBe(403);
    expect((await browser.request('/oauth/logout', { method: 'POST' })).status).toBe(403);
    expect((await profile(tokens.accessToken)).status).toBe(200);
    expect((await newBrowser().postForm('/oauth/logout', {})).status).toBe(204);
  });

  test('a deactivated user is refused immediately, and cannot refresh or sign in', async () => {
    const browser = newBrowser();
    const tokens = await browser.signInWeb({ email: 'gone@souk.test' });
    await running.db.query(`update users set is_active = false where email = 'gone@souk.test'`);
    const refused = await profile(tokens.accessToken);
    expect(refused.status).toBe(401);
    // the web app tells the user why
    expect(await refused.json()).toMatchObject({ code: 'unauthenticated', reason: 'account_deactivated' });
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
    await expect(browser.signInWeb({ email: 'gone@souk.test' })).rejects.toThrow('has been deactivated');
  });
});
