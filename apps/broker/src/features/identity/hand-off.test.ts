import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser, readTokens } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { sha256 } from './hash.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const handOff = (ticket: string) => ({
  grant_type: 'urn:souk:grant:handoff',
  client_id: 'frontend',
  token: ticket,
});

describeOnEmbedded('a sign-in that returns with a ticket', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());
  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const profile = (token: string) =>
    fetch(`${running.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${token}` } });
  async function getTicket(browser: ScriptedBrowser, email = 'bea@souk.test'): Promise<string> {
    const left = await browser.signIn('/auth/google?return_to=/auth/success', { email });
    return left.searchParams.get('token') ?? '';
  }

  test('[SIGN-10] GET /auth/google with the address of /auth/success ends there, with a ticket and a display hint', async () => {
    const returnTo = encodeURIComponent(`${running.publicUrl}/auth/success`);
    const left = await newBrowser().signIn(`/auth/google?return_to=${returnTo}`, { email: 'carl@souk.test' });
    expect(left.origin + left.pathname).toBe(`${running.publicUrl}/auth/success`);
    expect(left.searchParams.get('token')).toHaveLength(43);
    const hint: unknown = JSON.parse(left.searchParams.get('user') ?? '');
    const { rows } = await running.db.query<{ id: string }>("select id from users where email = 'carl@souk.test'");
    expect(hint).toEqual({
      id: rows[0]?.id,
      email: 'carl@souk.test',
      displayName: 'Carl Coder',
      photoURL: null,
      provider: 'dev',
    });
  });

  test('[SIGN-35] POST /oauth/token swaps it, and answers like a code exchange: tokens, cookie and handle', async () => {
    const browser = newBrowser();
    const answer = await browser.postForm('/oauth/token', handOff(await getTicket(browser)));
    expect(answer.status).toBe(200);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const body: Record<string, unknown> = JSON.parse(await answer.text());
    const { sameBrowser: _sameBrowser, ...others } = body;
    expect(Object.keys(others).toSorted()).toEqual(
      Object.keys(JSON.parse(await (await exchangeCode(newBrowser())).text())).toSorted(),
    );
    const tokens = readTokens(body);
    expect(await (await profile(tokens.accessToken)).json()).toMatchObject({ email: 'bea@souk.test' });
    expect(browser.cookie('souk_refresh')).toBeDefined();
    const refreshed = await browser.postForm('/oauth/token', {
      grant_type: 'refresh_token',
      client_id: 'frontend',
      refresh_token: tokens.refreshToken,
    });
    expect(refreshed.status).toBe(200);
  });

  test('[SIGN-38] the answer says whether the browser is the one that returned from the provider with this ticket', async () => {
    const swap = async (browser: ScriptedBrowser, ticket: string) => {
      const answer = await browser.postForm('/oauth/token', handOff(ticket));
      expect(answer.status).toBe(200);
      const body: unknown = await answer.json();
      return body;
    };
    const browser = newBrowser();
    const own = await getTicket(browser);
    expect(browser.cookie('souk_hand_off')).toBeDefined();
    expect(await swap(browser, own), 'the same browser').toMatchObject({ sameBrowser: true });
    expect(browser.cookie('souk_hand_off'), 'valid for one swap').toBeUndefined();

    expect(await swap(newBrowser(), await getTicket(newBrowser())), 'a browser without the cookie').toMatchObject({
      sameBrowser: false,
    });

    const busy = newBrowser();
    await busy.open('/auth/google?return_to=/auth/success');
    expect(await swap(busy, await getTicket(newBrowser())), 'a browser that began a sign-in of its own').toMatchObject({
      sameBrowser: false,
    });

    const other = newBrowser();
    await getTicket(other, 'carl@souk.test');
    expect(await swap(other, await getTicket(newBrowser())), 'the cookie of another ticket').toMatchObject({
      sameBrowser: false,
    });

    const forger = newBrowser();
    const ticket = await getTicket(newBrowser());
    forger.setCookie('souk_hand_off', ticket, '/oauth/token');
    expect(await swap(forger, ticket), 'the ticket itself proves nothing').toMatchObject({ sameBrowser: false });
  });

  test('[SIGN-38] with keep_sign_in a ticket of another browser keeps the cookie, and one of this browser replaces it', async () => {
    const browser = newBrowser();
    await browser.signInWeb({ email: 'carl@souk.test' });
    const before = browser.cookie('souk_refresh');
    const foreign = await getTicket(newBrowser());
    const kept = await browser.postForm('/oauth/token', { ...handOff(foreign), keep_sign_in: '1' });
    expect(kept.status).toBe(200);
    expect(browser.cookie('souk_refresh')).toBe(before);
    const own = await getTicket(browser);
    await browser.postForm('/oauth/token', { ...handOff(own), keep_sign_in: '1' });
    expect(browser.cookie('souk_refresh')).not.toBe(before);
  });

  test('[SIGN-31] the ticket is not an access token, and not a code of the ordinary exchange', async () => {
    const browser = newBrowser();
    const ticket = await getTicket(browser);
    expect((await profile(ticket)).status).toBe(401);
    for (const verifier of [{}, { code_verifier: 'x'.repeat(43) }]) {
      const answer = await browser.postForm('/oauth/token', {
        grant_type: 'authorization_code',
        client_id: 'frontend',
        code: ticket,
        redirect_uri: `${running.publicUrl}/auth/success`,
        ...verifier,
      });
      expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
    }
    expect((await browser.postForm('/oauth/token', handOff(ticket))).status).toBe(200);
  });

  test('[SIGN-33] the ticket expires after 60 seconds', async () => {
    const ticket = await getTicket(newBrowser());
    const { rows } = await running.db.query<{ seconds: number }>(
      `select extract(epoch from expires_at - created_at)::float8 as seconds from oauth_records
       where model = 'AuthorizationCode' and id = $1`,
      [sha256(ticket)],
    );
    expect(Math.round(rows[0]?.seconds ?? 0)).toBe(60);
    await running.db.query(
      `update oauth_records set expires_at = now() where model = 'AuthorizationCode' and id = $1`,
      [sha256(ticket)],
    );
    expect((await newBrowser().postForm('/oauth/token', handOff(ticket))).status).toBe(400);
  });

  test('[GEN-30] a swap needs our Origin and the client frontend, and a refused swap does not use up the ticket', async () => {
    const browser = newBrowser();
    const ticket = await getTicket(browser);
    const foreign = await browser.postForm('/oauth/token', handOff(ticket), { origin: 'https://evil.test' });
    expect(foreign.status).toBe(403);
    const without = await browser.request('/oauth/token', {
      method: 'POST',
      body: new URLSearchParams(handOff(ticket)),
    });
    expect(without.status).toBe(403);
    const client = await browser.signInMcpClient();
    const stolen = await browser.postForm('/oauth/token', { ...handOff(ticket), client_id: client.clientId });
    expect(stolen.status).toBe(400);
    expect((await browser.postForm('/oauth/token', handOff(ticket))).status).toBe(200);
  });

  test('[SIGN-11] with mcp_client=true the sign-in continues with the authorization request of the client, which asks for consent', async () => {
    const browser = newBrowser();
    const { clientId, redirectUri } = await newBrowser().signInMcpClient();
    const authorize = browser.authorizeUrl({
      client_id: clientId,
      redirect_uri: redirectUri,
      resource: `${running.publicUrl}/mcp`,
      code_challenge: 'a'.repeat(43),
    });
    const url = `/auth/google?${new URLSearchParams({ return_to: authorize.href, mcp_client: 'true' }).toString()}`;
    let step = await browser.open(url);
    if (!('page' in step)) throw new Error('no account page');
    step = await browser.submit(step.page, { email: 'bea@souk.test' });
    if (!('page' in step)) throw new Error(`no consent page, but ${step.left.href}`);
    expect(step.page.text).toContain('name="allow"');
    expect(step.page.text).toContain('bea@souk.test');
    const end = await browser.submit(step.page, { allow: '1' });
    expect('left' in end && end.left.href.startsWith(redirectUri)).toBe(true);
    expect('left' in end && end.left.searchParams.get('code')).toBeTruthy();
  });

  test('with mcp_client=true only /auth/success and our own authorization endpoint are accepted as addresses', async () => {
    for (const address of [
      'https://evil.test/oauth/authorize?a=b',
      '//evil.test/oauth/authorize?a=b',
      '/\\evil.test/oauth/authorize?a=b',
      '/oauth/authorize\\@evil.test?a=b',
      '/oauth/authorize?a=\nb',
      '/oauth/authorizer?a=b',
      '/oauth/authorize',
      '/oauth/interaction/abc',
      `${running.publicUrl}.evil.test/oauth/authorize?a=b`,
      `${running.publicUrl}@evil.test/oauth/authorize?a=b`,
    ]) {
      const query = new URLSearchParams({ return_to: address, mcp_client: 'true' }).toString();
      expect((await newBrowser().request(`/auth/google?${query}`)).status, address).toBe(400);
    }
    const without = new URLSearchParams({ return_to: '/oauth/authorize?a=b' }).toString();
    expect((await newBrowser().request(`/auth/google?${without}`)).status).toBe(400);
  });

  async function exchangeCode(browser: ScriptedBrowser): Promise<Response> {
    const { code, verifier } = await browser.authorizeWeb();
    return browser.redeemWeb(code, verifier);
  }
});
