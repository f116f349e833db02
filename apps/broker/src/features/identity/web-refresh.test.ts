import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser, readTokens } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { sha256 } from './hash.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const refreshForm = { grant_type: 'refresh_token', client_id: 'frontend' };

describeOnEmbedded('the web app renews its tokens', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());
  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const profile = (token: string) =>
    fetch(`${running.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${token}` } });

  test('the refresh uses the cookie, rotates it, and returns a handle that is worthless on its own', async () => {
    const browser = newBrowser();
    const first = await browser.signInWeb();
    const firstCookie = browser.cookie('souk_refresh');
    const second = readTokens(await (await browser.postForm('/oauth/token', refreshForm)).json());
    expect(browser.cookie('souk_refresh')).not.toBe(firstCookie);
    expect(second.refreshToken).not.toBe(first.refreshToken);
    const withHandle = { ...refreshForm, refresh_token: second.refreshToken };
    expect((await newBrowser().postForm('/oauth/token', withHandle)).status).toBe(400);
    expect((await browser.postForm('/oauth/token', withHandle)).status).toBe(200);
  });

  test('the refresh cookie is HttpOnly, SameSite=Strict and sent only to the OAuth endpoints', async () => {
    const browser = newBrowser();
    const { code, verifier } = await browser.authorizeWeb();
    const cookies = (await browser.redeemWeb(code, verifier)).headers.getSetCookie();
    const line = cookies.find((cookie) => cookie.startsWith('souk_refresh=')) ?? '';
    expect(line).toMatch(/HttpOnly/);
    expect(line).toMatch(/SameSite=Strict/);
    expect(line).toMatch(/Path=\/oauth/);
  });

  test('[GEN-30] a refresh without our Origin, or from another one, is refused and uses up nothing', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const foreign = await browser.postForm('/oauth/token', refreshForm, { origin: 'https://evil.test' });
    expect(foreign.status).toBe(403);
    expect(foreign.headers.get('access-control-allow-origin')).toBeNull();
    const without = await browser.request('/oauth/token', { method: 'POST', body: new URLSearchParams(refreshForm) });
    expect(without.status).toBe(403);
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(200);
  });

  test('the handle of another sign-in is refused, so that a tab notices', async () => {
    const browser = newBrowser();
    const other = await newBrowser().signInWeb({ email: 'other@souk.test' });
    await browser.signInWeb();
    const answer = await browser.postForm('/oauth/token', { ...refreshForm, refresh_token: other.refreshToken });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(200);
  });

  test("the web's refresh token is useless to another client or without the web's own request form, and the attempt uses up nothing", async () => {
    const browser = newBrowser();
    const { accessToken } = await browser.signInWeb();
    const { clientId } = await newBrowser().signInMcpClient();
    const stolen = { grant_type: 'refresh_token', refresh_token: browser.cookie('souk_refresh') ?? '' };
    const basic = { authorization: `Basic ${Buffer.from('frontend:').toString('base64')}` };
    const tries: [Record<string, string>, Record<string, string>][] = [
      [{ ...stolen, client_id: clientId }, {}],
      [stolen, basic],
      [{ ...stolen, client_id: '' }, basic],
    ];
    for (const [form, headers] of tries) {
      const body = new URLSearchParams(form);
      const answer = await fetch(`${running.publicUrl}/oauth/token`, { method: 'POST', body, headers });
      expect([answer.status, await answer.json()]).toEqual([
        400,
        { error: 'invalid_grant', error_description: 'the web client refreshes with its cookie only' },
      ]);
    }
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(200);
    expect((await profile(accessToken)).status).toBe(200);
  });

  test('a used refresh token revokes its whole family', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const old = browser.cookie('souk_refresh') ?? '';
    const second = readTokens(await (await browser.postForm('/oauth/token', refreshForm)).json());
    const thief = newBrowser();
    thief.setCookie('souk_refresh', old);
    expect((await thief.postForm('/oauth/token', refreshForm)).status).toBe(400);
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
    expect((await profile(second.accessToken)).status).toBe(401);
  });

  test('[SES-15] a renewal whose response was lost is retried by its name, and gets the one successor', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const old = browser.cookie('souk_refresh') ?? '';
    const first = { ...refreshForm, renewal: 'a'.repeat(22) };
    expect((await browser.postForm('/oauth/token', first)).status).toBe(200);
    const successor = browser.cookie('souk_refresh');
    browser.setCookie('souk_refresh', old, '/oauth'); // as if that response had been lost
    const again = await browser.postForm('/oauth/token', first);
    expect(again.status).toBe(200);
    expect(browser.cookie('souk_refresh')).toBe(successor);
    const { accessToken } = readTokens(await again.json());
    expect((await profile(accessToken)).status).toBe(200);
    expect((await browser.postForm('/oauth/token', { ...refreshForm, renewal: 'b'.repeat(22) })).status).toBe(200);
  });

  test('a used refresh token without the name of its renewal, with another name, or after a use of its successor, counts as reuse', async () => {
    const name = 'a'.repeat(22);
    for (const [form, usesSuccessor] of [
      [refreshForm, false],
      [{ ...refreshForm, renewal: 'b'.repeat(22) }, false],
      [{ ...refreshForm, renewal: 'short' }, false],
      [{ ...refreshForm, renewal: name }, true],
    ] as const) {
      const browser = newBrowser();
      await browser.signInWeb();
      const thief = newBrowser();
      thief.setCookie('souk_refresh', browser.cookie('souk_refresh') ?? '', '/oauth');
      await browser.postForm('/oauth/token', { ...refreshForm, renewal: name });
      if (usesSuccessor) await browser.postForm('/oauth/token', { ...refreshForm, renewal: 'c'.repeat(22) });
      expect((await thief.postForm('/oauth/token', form)).status, JSON.stringify(form)).toBe(400);
      expect((await browser.postForm('/oauth/token', refreshForm)).status, 'the whole sign-in has ended').toBe(400);
    }
  });

  test('a renewal expires ten minutes after its start', async () => {
    const browser = newBrowser();
    const { accessToken } = await browser.signInWeb();
    const old = browser.cookie('souk_refresh') ?? '';
    const form = { ...refreshForm, renewal: 'a'.repeat(22) };
    await browser.postForm('/oauth/token', form);
    await running.db.query(
      `update oauth_records set consumed_at = consumed_at - interval '10 minutes' where model = 'RefreshToken' and id = $1`,
      [sha256(old)],
    );
    browser.setCookie('souk_refresh', old, '/oauth');
    expect((await browser.postForm('/oauth/token', form)).status).toBe(400);
    expect((await profile(accessToken)).status).toBe(401);
  });

  test('if a broker used up a token and died before it stored a successor, the same renewal may use the token again', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const old = browser.cookie('souk_refresh') ?? '';
    const form = { ...refreshForm, renewal: 'a'.repeat(22) };
    await browser.postForm('/oauth/token', form);
    const successor = browser.cookie('souk_refresh') ?? '';
    await running.db.query(`delete from oauth_records where model = 'RefreshToken' and id = $1`, [sha256(successor)]);
    browser.setCookie('souk_refresh', old, '/oauth');
    expect((await browser.postForm('/oauth/token', form)).status).toBe(200);
    expect(browser.cookie('souk_refresh')).toBe(successor);
  });
});
