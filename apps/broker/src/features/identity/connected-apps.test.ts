import { afterAll, beforeAll, expect, test } from 'vitest';
import { listConnectedApps } from '@souk/contract/connected-apps.ts';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const refreshForm = { grant_type: 'refresh_token', client_id: 'frontend' };

describeOnEmbedded('connected apps', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());

  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const send = (method: string, path: string, token: string) =>
    fetch(running.publicUrl + path, { method, headers: { authorization: `Bearer ${token}` } });
  const callMcp = async (token: string) => (await send('POST', '/mcp', token)).status;

  /** Signs in a separate user for each test at the web. */
  async function person(email: string) {
    const browser = newBrowser();
    const { accessToken } = await browser.signInWeb({ email });
    const profile: { id: string } = JSON.parse(await (await send('GET', '/v2/user/profile', accessToken)).text());
    const path = `/api/users/${profile.id}/connected-apps`;
    return {
      browser,
      accessToken,
      path,
      list: async () => listConnectedApps.answer.parse(await (await send('GET', path, accessToken)).json()),
      disconnect: (id: string) => send('DELETE', `${path}/${id}`, accessToken),
    };
  }

  test('the list shows each client with its scopes, and browsers separately', async () => {
    const email = 'lists@souk.test';
    const me = await person(email);
    const client = await newBrowser().signInMcpClient({
      email,
      clientName: 'Robot\u202E <b>',
      resource: `${running.publicUrl}/s/travel/mcp`,
      scope: 'mcp:tools mcp:prompts',
    });
    const { apps, webSessions } = await me.list();
    expect(apps).toMatchObject([
      {
        clientId: client.clientId,
        clientName: 'Robot <b>',
        clientUri: null,
        publishedBy: null,
        verified: false,
        redirectHost: '127.0.0.1:53999',
        scopes: ['mcp:tools', 'mcp:prompts'],
        resources: [`${running.publicUrl}/s/travel/mcp`],
        lastUsedAt: null,
        current: false,
      },
    ]);
    expect(webSessions).toMatchObject([{ current: true }]);
    expect(JSON.stringify({ apps, webSessions })).not.toContain(client.refreshToken);
  });

  test('the last use of a client is recorded', async () => {
    const email = 'uses@souk.test';
    const me = await person(email);
    const client = await newBrowser().signInMcpClient({ email });
    expect(await callMcp(client.accessToken)).toBe(200);
    await waitUntil('the use is recorded', async () => (await me.list()).apps[0]?.lastUsedAt !== null);
  });

  test('a disconnected client is refused immediately, its refresh too, and another one of the same name stays connected', async () => {
    const email = 'disconnects@souk.test';
    const me = await person(email);
    const gone = await newBrowser().signInMcpClient({ email });
    const [first] = (await me.list()).apps;
    const stays = await newBrowser().signInMcpClient({ email });
    const heard = new Promise((resolve) => running.identity.onRevoked(({ tokenId }) => resolve(tokenId)));
    expect(await callMcp(gone.accessToken)).toBe(200);
    expect((await me.disconnect(first?.id ?? '')).status).toBe(200);
    expect(await heard).toBe(first?.id);
    expect(await callMcp(gone.accessToken)).toBe(401);
    expect(await callMcp(stays.accessToken)).toBe(200);
    const refreshed = await fetch(`${running.publicUrl}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        grant_type: 'refresh_token',
        client_id: gone.clientId,
        refresh_token: gone.refreshToken,
      }),
    });
    expect(await refreshed.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await me.list()).apps.map(({ id }) => id)).not.toContain(first?.id);
    expect((await me.disconnect(first?.id ?? '')).status).toBe(404);
    for (const id of ['%00', 'a%00b']) expect((await me.disconnect(id)).status).toBe(400);
  });

  test('a user neither sees nor ends another user’s apps, and only the web’s token may list them', async () => {
    const owner = await person('owner@souk.test');
    const other = await person('other@souk.test');
    const client = await newBrowser().signInMcpClient({ email: 'owner@souk.test' });
    const [app] = (await owner.list()).apps;
    expect((await send('GET', owner.path, other.accessToken)).status).toBe(404);
    expect((await send('DELETE', `${owner.path}/${app?.id}`, other.accessToken)).status).toBe(404);
    expect((await other.disconnect(app?.id ?? '')).status).toBe(404);
    const personal = await running.identity.createPersonalToken({ email: 'owner@souk.test', name: 'x' });
    for (const token of [client.accessToken, personal.token]) {
      expect((await send('GET', owner.path, token)).status).toBe(401);
      expect((await send('POST', '/auth/sign-out-everywhere', token)).status).toBe(401);
    }
    expect(await callMcp(client.accessToken)).toBe(200);
  });

  test('a sign-in ends the previous one in the same browser, of the same user or another, and none in another browser', async () => {
    const email = 'anew@souk.test';
    const elsewhere = await person(email);
    const me = await person(email);
    const oldCookie = me.browser.cookie('souk_refresh') ?? '';
    const again = await me.browser.signInWeb({ email });
    expect((await send('GET', me.path, me.accessToken)).status, 'the earlier one has ended').toBe(401);
    expect((await elsewhere.list()).webSessions).toHaveLength(2);
    const shown = me.browser.trail.length;
    await me.browser.signInWeb();
    const asked = me.browser.trail.slice(shown).filter((step) => /interaction|choose/.test(step));
    expect(asked, 'the browser is still known').toEqual([]);
    expect((await send('GET', me.path, again.accessToken)).status).toBe(401);
    const thief = newBrowser();
    thief.setCookie('souk_refresh', oldCookie, '/oauth');
    expect((await thief.postForm('/oauth/token', refreshForm)).status).toBe(400);
    expect((await me.browser.postForm('/oauth/token', refreshForm)).status, 'the new one has not').toBe(200);
    // another user of the same browser is asked again
    me.browser.setCookie('souk_session', '', '/oauth');
    const other = await me.browser.signInWeb({ email: 'sits-down@souk.test' });
    expect((await elsewhere.list()).webSessions).toMatchObject([{ current: true }]);
    expect((await send('GET', '/v2/user/profile', other.accessToken)).status).toBe(200);
  });

  test('a browser is listed by its name, not by its user agent', async () => {
    const browser = newBrowser();
    const { code, verifier } = await browser.authorizeWeb({ email: 'named@souk.test' });
    const answer = await browser.postForm(
      '/oauth/token',
      {
        grant_type: 'authorization_code',
        client_id: 'frontend',
        code,
        redirect_uri: `${running.publicUrl}/auth/callback`,
        code_verifier: verifier,
      },
      { 'user-agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0 <b>' },
    );
    expect(answer.status).toBe(200);
    const { webSessions } = await (await person('named@souk.test')).list();
    expect(webSessions.map(({ browserName }) => browserName)).toEqual([null, 'Firefox on Linux']);
  });

  test('Sign Out ends this browser’s session at the server, and leaves other devices signed in', async () => {
    const email = 'leaves@souk.test';
    const me = await person(email);
    const elsewhere = await person(email);
    const cookie = me.browser.cookie('souk_session') ?? '';
    expect((await me.browser.postForm('/oauth/revoke', { client_id: 'frontend' })).status).toBe(200);
    expect((await send('GET', me.path, me.accessToken)).status).toBe(401);
    // A copy of the cookie does not sign in: the provider choice is shown.
    me.browser.setCookie('souk_session', cookie, '/oauth');
    const step = await me.browser.open(loginUrl(running.publicUrl));
    expect('page' in step && step.page.text).toContain('name="provider"');
    expect((await elsewhere.list()).webSessions).toHaveLength(1);
    expect((await elsewhere.browser.postForm('/oauth/token', refreshForm)).status).toBe(200);
  });

  test('a browser signed out from another one cannot refresh, nor return without a new sign-in', async () => {
    const email = 'remote@souk.test';
    const lost = await person(email);
    const me = await person(email);
    const { webSessions } = await me.list();
    expect(webSessions.map(({ current }) => current)).toEqual([true, false]);
    expect((await me.disconnect(webSessions[1]?.id ?? '')).status).toBe(200);
    expect((await send('GET', lost.path, lost.accessToken)).status).toBe(401);
    expect((await lost.browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
    const step = await lost.browser.open(loginUrl(running.publicUrl));
    expect('page' in step && step.page.text).toContain('name="provider"');
    expect((await me.list()).webSessions).toHaveLength(1);
  });

  test('signing out everywhere ends every browser and no app', async () => {
    const email = 'everywhere@souk.test';
    const [one, two] = [await person(email), await person(email)];
    const client = await newBrowser().signInMcpClient({ email });
    const answer = await one.browser.request('/auth/sign-out-everywhere', {
      method: 'POST',
      headers: { authorization: `Bearer ${one.accessToken}` },
    });
    expect(await answer.json()).toEqual({ success: true, signedOut: 2 });
    expect(one.browser.cookie('souk_refresh')).toBeUndefined();
    for (const { accessToken, path, browser } of [one, two]) {
      expect((await send('GET', path, accessToken)).status).toBe(401);
      expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
    }
    expect(await callMcp(client.accessToken)).toBe(200);
  });
});

function loginUrl(publicUrl: string): string {
  const challenge = 'a'.repeat(43);
  return `/login?${new URLSearchParams({ return_to: `${publicUrl}/auth/callback`, state: 's', code_challenge: challenge })}`;
}
