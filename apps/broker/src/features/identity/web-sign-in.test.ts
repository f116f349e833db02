import { afterAll, beforeAll, expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { ScriptedBrowser, challengeOf, readTokens } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

const refreshForm = { grant_type: 'refresh_token', client_id: 'frontend' };

describeOnEmbedded('the web app signs in', migrations, (open) => {
  let running: RunningIdentity;
  beforeAll(async () => {
    running = await startIdentity({ db: await open() });
  });
  afterAll(() => running.close());
  const newBrowser = () => new ScriptedBrowser(running.publicUrl);
  const profile = (token: string) =>
    fetch(`${running.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${token}` } });

  test('[SIGN-16] [SIGN-17] with a code, a verifier of 128 characters and S256, and gets the profile', async () => {
    const browser = newBrowser();
    const { code, verifier, callback } = await browser.authorizeWeb({ email: 'Carl@souk.test' });
    expect(verifier).toHaveLength(128);
    expect(callback.searchParams.get('iss')).toBe(running.publicUrl);
    const answer = await browser.redeemWeb(code, verifier);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    const body: Record<string, unknown> = JSON.parse(await answer.text());
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 600, expiresIn: 600 });
    expect(body['accessToken']).toBe(body['access_token']);
    expect(body['refreshToken']).toBe(body['refresh_token']);
    const tokens = readTokens(body);
    const answered = await profile(tokens.accessToken);
    expect(await answered.json()).toMatchObject({
      email: 'carl@souk.test',
      displayName: 'Carl Coder',
      photoURL: null,
      provider: 'dev',
      planId: 'free',
      planStatus: 'active',
      disabledServers: [],
      role: 'user',
    });
  });

  test('[CFG-41] a user carries the provider of their identity', async () => {
    await newBrowser().signInWeb({ email: 'provider@souk.test' });
    const { rows } = await running.db.query(
      `select i.provider, i.subject from identities i join users u on u.id = i.user_id where u.email = $1`,
      ['provider@souk.test'],
    );
    expect(rows).toEqual([{ provider: 'dev', subject: 'provider@souk.test' }]);
  });

  test('the second sign-in of a browser shows no page', async () => {
    const browser = newBrowser();
    await browser.signInWeb();
    const shown = browser.trail.length;
    await browser.signInWeb();
    expect(browser.trail.slice(shown).filter((step) => /interaction|choose/.test(step))).toEqual([]);
  });

  test('a sign-in without a challenge, and a plain one, are refused', async () => {
    const { publicUrl } = running;
    const redirect = `${publicUrl}/auth/callback`;
    for (const challenge of [{}, { code_challenge: 'a'.repeat(43), code_challenge_method: 'plain' }]) {
      const url = newBrowser().authorizeUrl({ client_id: 'frontend', redirect_uri: redirect, ...challenge });
      if (!('code_challenge' in challenge)) url.searchParams.delete('code_challenge_method');
      const step = await newBrowser().open(url);
      expect('left' in step && step.left.searchParams.get('error')).toBe('invalid_request');
      expect('left' in step && step.left.searchParams.get('state')).toBe('state-of-the-client');
      expect('left' in step && step.left.searchParams.get('iss')).toBe(publicUrl);
    }
  });

  test('a wrong verifier is refused', async () => {
    const browser = newBrowser();
    const { code } = await browser.authorizeWeb();
    const answer = await browser.redeemWeb(code, 'x'.repeat(128));
    expect(answer.status).toBe(400);
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('a code is valid once; if it is used again, the tokens of its first use are revoked', async () => {
    const browser = newBrowser();
    const { code, verifier } = await browser.authorizeWeb();
    const first = readTokens(await (await browser.redeemWeb(code, verifier)).json());
    expect((await profile(first.accessToken)).status).toBe(200);
    const second = await newBrowser().redeemWeb(code, verifier);
    expect(await second.json()).toMatchObject({ error: 'invalid_grant' });
    expect((await profile(first.accessToken)).status).toBe(401);
    expect((await browser.postForm('/oauth/token', refreshForm)).status).toBe(400);
  });

  test('a code is not valid for another redirect address', async () => {
    const browser = newBrowser();
    const { code, verifier } = await browser.authorizeWeb();
    const answer = await browser.postForm('/oauth/token', {
      grant_type: 'authorization_code',
      client_id: 'frontend',
      code,
      redirect_uri: `${running.publicUrl}/auth/success`,
      code_verifier: verifier,
    });
    expect(await answer.json()).toMatchObject({ error: 'invalid_grant' });
  });

  test('a redirect address that is not registered gets an error page, never a redirect', async () => {
    for (const redirect of ['https://evil.test/auth/callback', `${running.publicUrl}/auth/callback/x`]) {
      const url = newBrowser().authorizeUrl({
        client_id: 'frontend',
        redirect_uri: redirect,
        code_challenge: challengeOf('v'),
      });
      const step = await newBrowser().open(url);
      expect('page' in step && step.page.status).toBe(400);
      expect('page' in step && step.page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'");
    }
  });

  test('return_to with another origin is refused in every spelling', async () => {
    const { publicUrl } = running;
    const spellings = [
      'https://evil.test/auth/success',
      '//evil.test/auth/success',
      '/\\evil.test/auth/success',
      '/auth/success/../../evil',
      '/auth/success\n',
      `${publicUrl}.evil.test/auth/success`,
      `${publicUrl}@evil.test/auth/success`,
      'javascript:alert(1)',
      '/dashboard',
    ];
    for (const spelling of spellings) {
      const query = new URLSearchParams({ return_to: spelling, state: 'a', code_challenge: challengeOf('v') });
      expect((await newBrowser().request(`/login?${query}`)).status, spelling).toBe(400);
      expect((await newBrowser().request(`/auth/google?${query}`)).status, spelling).toBe(400);
    }
  });

  test('a code from a form of another site does not sign this browser in', async () => {
    const { code, verifier } = await newBrowser().authorizeWeb({ email: 'attacker@souk.test' });
    const victim = newBrowser();
    const answer = await victim.postForm(
      '/oauth/token',
      {
        grant_type: 'authorization_code',
        client_id: 'frontend',
        code,
        redirect_uri: `${running.publicUrl}/auth/callback`,
        code_verifier: verifier,
      },
      { origin: 'https://evil.test' },
    );
    expect(answer.status).toBe(403);
    expect(victim.cookie('souk_refresh')).toBeUndefined();
  });
});
