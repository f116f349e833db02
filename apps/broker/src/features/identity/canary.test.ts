import { expect, test } from 'vitest';
import { describeOnEmbedded } from '#testing/databases/databases.ts';
import { dumpDatabase } from '#testing/databases/dump-database.ts';
import { ScriptedBrowser, readTokens } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startFakeGoogle } from './testing/fake-google.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

/** Secrets by name: everything that opens something, or did. */
type Secrets = Map<string, string>;

describeOnEmbedded('after every kind of sign-in and sign-out', migrations, (open) => {
  test('no token, code, secret, verifier or cookie value is in the tables or in the log, plain or encoded', async () => {
    const db = await open();
    const google = await startFakeGoogle('souk-client');
    const secrets: Secrets = new Map();
    const clientSecret = `canary-${crypto.randomUUID()}`;

    const standIn = await startIdentity({ db });
    await walkEveryWay(standIn, secrets, (url) => new RecordingBrowser(url, secrets));
    await standIn.close();
    const real = await startIdentity({
      db,
      environment: { GOOGLE_CLIENT_ID: 'souk-client', GOOGLE_CLIENT_SECRET: clientSecret },
      googleIssuer: google.issuer,
    });
    const throughGoogle = (url: string) => new RecordingBrowser(url, secrets, google.issuer);
    await throughGoogle(real.publicUrl).signInWeb();
    for (const fault of ['nonce', 'unverified', 'html', 'denied'] as const) {
      google.fault = fault;
      await throughGoogle(real.publicUrl).open('/auth/google?return_to=/auth/success');
      await throughGoogle(real.publicUrl)
        .signInWeb()
        .catch(() => undefined);
    }
    for (const [index, value] of google.issued.entries()) secrets.set(`Google's ${index}`, value);
    secrets.set("Google's client secret", clientSecret);
    secrets.set("Google's client secret as sent", Buffer.from(`souk-client:${clientSecret}`).toString('base64'));
    await real.close();
    await google.close();

    const dump = await dumpDatabase(db);
    const log = standIn.logged() + real.logged();
    // The walk itself must have covered everything, or this proves nothing.
    for (const name of [
      'web access',
      'client refresh',
      'personal',
      'ticket',
      'code',
      'verifier',
      'cookie souk_refresh',
      'cookie souk_session',
      'cookie souk_interaction',
      'cookie souk_upstream_',
      'cookie souk_resume',
    ]) {
      expect(
        [...secrets.keys()].some((key) => key.startsWith(name)),
        name,
      ).toBe(true);
    }
    const found: string[] = [];
    for (const [name, value] of secrets) {
      for (const [spelling, text] of spellingsOf(value)) {
        if (dump.includes(text)) found.push(`${name} in the tables, ${spelling}`);
        if (log.includes(text)) found.push(`${name} in the log, ${spelling}`);
      }
    }
    expect(found).toEqual([]);
    // a private signing key has the field d
    expect(dump).not.toMatch(/"d":/);
  });
});

function spellingsOf(value: string): [string, string][] {
  const bytes = Buffer.from(value);
  return [
    ['as it is', value],
    ['URL-encoded', encodeURIComponent(value)],
    ['base64', bytes.toString('base64')],
    ['base64url', bytes.toString('base64url')],
    ['hex', bytes.toString('hex')],
    ['hex of its bytes', Buffer.from(value, 'base64url').toString('hex')],
  ];
}

async function walkEveryWay(running: RunningIdentity, secrets: Secrets, newBrowser: (url: string) => RecordingBrowser) {
  const { publicUrl } = running;
  const browser = newBrowser(publicUrl);
  const { code, verifier } = await browser.authorizeWeb({ email: 'canary@souk.test' });
  secrets.set('verifier', verifier);
  await newBrowser(publicUrl).redeemWeb(code, 'x'.repeat(128));
  const { code: second, verifier: secondVerifier } = await browser.authorizeWeb();
  secrets.set('verifier 2', secondVerifier);
  const web = readTokens(await (await browser.redeemWeb(second, secondVerifier)).json());
  secrets.set('web access', web.accessToken);
  secrets.set('web handle', web.refreshToken);
  const refreshForm = { grant_type: 'refresh_token', client_id: 'frontend' };
  const refreshed = readTokens(await (await browser.postForm('/oauth/token', refreshForm)).json());
  secrets.set('web access 2', refreshed.accessToken);
  await browser.postForm('/oauth/token', refreshForm, { origin: 'https://evil.test' });

  const left = await newBrowser(publicUrl).signIn('/auth/google?return_to=/auth/success');
  const ticket = left.searchParams.get('token') ?? '';
  secrets.set('ticket', ticket);
  const swap = { grant_type: 'urn:souk:grant:handoff', client_id: 'frontend', token: ticket };
  await browser.postForm('/oauth/token', swap, { origin: 'https://evil.test' });
  const swapped = readTokens(await (await newBrowser(publicUrl).postForm('/oauth/token', swap)).json());
  secrets.set('web access 3', swapped.accessToken);
  await browser.postForm('/oauth/token', swap);

  const client = await browser.signInMcpClient();
  secrets.set('client access', client.accessToken);
  secrets.set('client refresh', client.refreshToken);
  const clientForm = { client_id: client.clientId, refresh_token: client.refreshToken };
  for (const grant of ['refresh_token', 'nonsense']) {
    const answer = await browser.postForm('/oauth/token', { ...clientForm, grant_type: grant });
    if (answer.ok) secrets.set(`client ${grant}`, readTokens(await answer.json()).refreshToken);
  }
  await browser.signInMcpClient({ allow: false }).catch(() => undefined);
  await newBrowser(publicUrl).open(
    browser.authorizeUrl({
      client_id: client.clientId,
      redirect_uri: client.redirectUri,
      code_challenge: 'a'.repeat(43),
    }),
  );

  const personal = await running.identity.createPersonalToken({ email: 'canary@souk.test', name: 'canary' });
  secrets.set('personal', personal.token);
  for (const token of [
    web.accessToken,
    client.accessToken,
    personal.token,
    `${personal.token}x`,
    `${web.accessToken}x`,
  ]) {
    for (const path of ['/mcp', '/v2/user/profile', '/auth/pat/list', `/mcp?access_token=${token}`]) {
      const method = path.startsWith('/mcp') ? 'POST' : 'GET';
      await browser.request(path, { method, headers: { authorization: `Bearer ${token}` } });
    }
  }
  await browser.postForm('/oauth/revoke', { client_id: client.clientId, token: client.refreshToken });
  await browser.postForm('/oauth/revoke', { client_id: 'frontend', token: web.refreshToken });
  await browser.postForm('/oauth/logout', {});
  await newBrowser(publicUrl).open('/auth/google/callback?code=canary-code-that-nobody-gave&state=canary-state');
  secrets.set('code of a forged callback', 'canary-code-that-nobody-gave');
}

/** Records every cookie value, code and ticket that passes through this browser. */
class RecordingBrowser extends ScriptedBrowser {
  readonly #secrets: Secrets;
  readonly #google: string | undefined;
  constructor(publicUrl: string, secrets: Secrets, google?: string) {
    super(publicUrl);
    this.#secrets = secrets;
    this.#google = google;
  }
  override async request(url: string | URL, init: RequestInit = {}): Promise<Response> {
    const answer = await super.request(url, init);
    for (const line of answer.headers.getSetCookie()) {
      const name = line.slice(0, line.indexOf('='));
      const value = line.slice(name.length + 1).split(';')[0] ?? '';
      if (value.length >= 16) this.#secrets.set(`cookie ${name} ${this.#secrets.size}`, value);
    }
    const location = URL.parse(answer.headers.get('location') ?? '', this.publicUrl);
    for (const name of ['code', 'token']) {
      const value = location?.searchParams.get(name);
      if (value) this.#secrets.set(`${name} ${this.#secrets.size}`, value);
    }
    return answer;
  }
  override async open(url: string | URL, init: RequestInit = {}): ReturnType<ScriptedBrowser['open']> {
    const step = await super.open(url, init);
    if (!('left' in step) || step.left.origin !== this.#google) return step;
    const answer = await fetch(step.left, { redirect: 'manual' });
    return this.open(answer.headers.get('location') ?? '');
  }
}
