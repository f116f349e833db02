import { createServer } from 'node:http';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { freePort } from '#testing/network/free-port.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { pendingCookieName } from './sign-in/pending-cookie.ts';
import { companyClient, startCompanyProvider, type CompanyProvider } from './testing/company-provider.ts';
import { startFakeGoogle, type FakeGoogle, type FakeGoogleFault } from './testing/fake-google.ts';
import { ProviderBrowser } from './testing/provider-browser.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

let db: Database;
let company: CompanyProvider;
let person: CompanyProvider['person'];
let running: RunningIdentity;
const open: RunningIdentity[] = [];
/** Resources that the running test has started. */
const started: { close(): Promise<unknown> }[] = [];
let port: number;

const environmentOf = (issuer: string) => ({
  OIDC_ISSUER: issuer,
  OIDC_CLIENT_ID: companyClient.clientId,
  OIDC_CLIENT_SECRET: companyClient.clientSecret,
});

/** Starts a broker at the address that is registered at the company's provider: one at a time. */
async function start(
  environment: NodeJS.ProcessEnv,
  googleIssuer?: string,
  more: Pick<Parameters<typeof startIdentity>[0], 'clock'> = {},
): Promise<RunningIdentity> {
  await Promise.all(open.splice(0).map((one) => one.close()));
  running = await startIdentity({
    db,
    environment,
    listenPort: port,
    ...(googleIssuer !== undefined && { googleIssuer }),
    ...more,
  });
  open.push(running);
  return running;
}

beforeAll(async () => {
  port = await freePort();
  db = await openTestDatabase(migrations);
  company = await startCompanyProvider([`http://localhost:${port}/auth/oidc/callback`]);
  ({ person } = company);
});
afterEach(async () => {
  company.person = person;
  await Promise.all(started.splice(0).map((one) => one.close()));
});
afterAll(async () => {
  await Promise.all(open.map((one) => one.close()));
  await company?.close();
  await db?.close();
});

/** Closes the resource after the test. */
async function untilEnd<T extends { close(): Promise<unknown> }>(starting: Promise<T>): Promise<T> {
  const one = await starting;
  started.push(one);
  return one;
}
const startGoogle = (options?: Parameters<typeof startFakeGoogle>[1]) =>
  untilEnd(startFakeGoogle(companyClient.clientId, options));

const browserOf = () => new ProviderBrowser(running.publicUrl, company.issuer);
const get = async (path: string, token: string) =>
  fetch(running.publicUrl + path, { headers: { authorization: `Bearer ${token}` } });
const profile = async (token: string): Promise<unknown> => (await get('/v2/user/profile', token)).json();
/** Returns the page at which a sign-in of the web app ended, or what went wrong. */
async function attempt(browser = browserOf()): Promise<string> {
  return browser.signInWeb({ provider: 'oidc' }).then(
    () => 'signed in',
    (error: unknown) => String(error),
  );
}

describe('a company’s own sign-in provider', () => {
  test('users sign in with it on the web and in an MCP client; ADMIN_EMAILS makes one an administrator; the stand-in is off', async () => {
    await start({ ...environmentOf(company.issuer), OIDC_NAME: 'Acme <SSO>', ADMIN_EMAILS: 'ana@acme.test' });
    const page = await browserOf().open(
      `/login?${new URLSearchParams({ return_to: '/auth/callback', state: 'a', code_challenge: 'a'.repeat(43) }).toString()}`,
    );
    if (!('page' in page)) throw new Error(`asked nothing, and went to ${page.left.href}`);
    expect(page.page.text).toContain('value="oidc">Continue with Acme &#60;SSO&#62;</button>');
    expect(page.page.text, 'the operator has chosen').not.toContain('available yet');
    expect(page.page.text).not.toContain('Google');

    const web = await browserOf().signInWeb({ provider: 'oidc' });
    expect(await profile(web.accessToken)).toMatchObject({
      email: 'ana@acme.test',
      displayName: 'Ana Acme',
      provider: 'oidc',
      role: 'admin',
    });
    const client = await browserOf().signInMcpClient({ provider: 'oidc' });
    const mcp = await fetch(`${running.publicUrl}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${client.accessToken}` },
    });
    expect(mcp.status).toBe(200);
    const direct = await browserOf().open('/auth/oidc?return_to=/auth/success');
    expect('left' in direct && direct.left.searchParams.get('user')).toContain('"provider":"oidc"');
    expect((await fetch(`${running.publicUrl}/auth/google`, { redirect: 'manual' })).status).toBe(404);
    expect((await fetch(`${running.publicUrl}/dev-google/.well-known/openid-configuration`)).status).toBe(404);

    const create = running.identity.createPersonalToken;
    await expect(create({ email: 'ana@acme.test', provider: 'google', name: 'a' })).rejects.toThrow('(oidc)');
    const personal = await create({ email: 'ana@acme.test', provider: 'oidc', name: 'a' });
    expect(await profile(personal.token)).toMatchObject({ email: 'ana@acme.test' });
    expect(running.logged()).not.toContain(companyClient.clientSecret);
  });

  test("a new sign-in for confirmation asks again at the provider, and an older sign-in, by the provider's date, does not count", async () => {
    let aheadMs = 0;
    await start(environmentOf(company.issuer), undefined, { clock: { now: () => Date.now() + aheadMs } });
    const browser = browserOf();
    const { accessToken } = await browser.signInWeb({ provider: 'oidc' });
    const { id } = Object(await profile(accessToken)) as { id: string };
    const again = `/auth/oidc?return_to=/auth/success&again_as=${id}`;
    let asked: URLSearchParams | undefined;
    browser.onTheWay = ({ searchParams }) => (asked = new URLSearchParams(searchParams));
    expect(await browser.open(again)).toMatchObject({ left: { pathname: '/auth/success' } });
    expect([asked?.get('prompt'), asked?.get('max_age')]).toEqual(['login', '0']);

    aheadMs = 16 * 60_000;
    // the request for a new sign-in is removed, so the provider uses its existing session
    browser.onTheWay = ({ searchParams }) => {
      searchParams.delete('prompt');
      searchParams.set('max_age', '86400');
    };
    const refused = await browser.open(again);
    expect('page' in refused && refused.page.text).toContain('did not ask you to sign in again.');
    // a sign-in that need not be recent has the date that the provider gives, and is valid for the rest
    expect(await attempt(browser)).toBe('signed in');
  });

  test('an address that the provider does not call verified counts only with OIDC_TRUST_EMAIL=1', async () => {
    const { email_verified: _, ...silent } = person;
    company.person = silent;
    await start(environmentOf(company.issuer));
    expect(await attempt()).toContain('no verified e-mail address');
    expect(running.logged()).toContain('OIDC_TRUST_EMAIL');
    await start({ ...environmentOf(company.issuer), OIDC_TRUST_EMAIL: '1' });
    expect(await attempt()).toBe('signed in');
    company.person = { ...silent, email_verified: false };
    expect(await attempt(), 'said not to be verified').toContain('no verified e-mail address');
  });

  test('a response with another nonce is refused, and so is a provider with another issuer than the configured one', async () => {
    await start(environmentOf(company.issuer));
    const browser = browserOf();
    browser.onTheWay = (address) => address.searchParams.set('nonce', 'of-somebody-else');
    expect(await attempt(browser)).toContain('The answer of the sign-in provider is not valid');
    expect(await attempt()).toBe('signed in');

    // the same metadata at another address: it names an issuer that was not requested
    const fake = await startGoogle();
    await start(environmentOf(fake.issuer.replace('127.0.0.1', 'localhost')));
    const answer = await fetch(`${running.publicUrl}/auth/oidc`, { headers: { accept: 'text/html' } });
    expect(answer.status).toBe(503);
    expect(running.logged()).toContain('discovered metadata issuer does not match the expected issuer');
  });

  test('an unreachable provider is named, and an endless response is cut off', async () => {
    await start({ ...environmentOf('http://127.0.0.1:9'), OIDC_NAME: 'Acme' });
    const away = await fetch(`${running.publicUrl}/auth/oidc`, { headers: { accept: 'text/html' } });
    expect(away.status).toBe(503);
    const page = await away.text();
    expect(page).toContain('Acme cannot be reached right now. Please try again in a moment.');
    expect(page).not.toMatch(/ECONNREFUSED|at .*:\d+:\d+/);

    let written = 0;
    const flooding = createServer((_request, response) => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(64 * 1024, 32))) written += 64 * 1024;
      };
      response.writeHead(200, { 'content-type': 'application/json' }).on('drain', more);
      more();
    });
    const flood = await untilEnd(listenLocally(flooding));
    await start(environmentOf(`http://127.0.0.1:${flood.port}`));
    expect((await fetch(`${running.publicUrl}/auth/oidc`)).status).toBe(503);
    expect(running.logged()).toContain('answered more than 262144 bytes');
    expect(written, 'buffered bytes count').toBeLessThan(32 * 1024 * 1024);
  });

  test('a provider that does not respond is abandoned after five seconds', async () => {
    const silent = await untilEnd(listenLocally(createServer(() => {})));
    await start(environmentOf(`http://127.0.0.1:${silent.port}`));
    const signIn = async () => expect((await fetch(`${running.publicUrl}/auth/oidc`)).status).toBe(503);
    await limitElapsed(10_000, signIn, { scales: 'none' });
    expect(running.logged()).toMatch(/timed out|timeout/i);
  });

  test('users of the previous provider do not exist at another one, even with the same subject', async () => {
    await start({ ...environmentOf(company.issuer) });
    const before = await browserOf().signInWeb({ provider: 'oidc' });
    const fake = await startGoogle();
    fake.person = { sub: company.person.sub, email: 'mallory@evil.test', name: 'Mallory' };
    await start(environmentOf(fake.issuer));
    expect((await get('/v2/user/profile', before.accessToken)).status).toBe(401);
    const other = await new ProviderBrowser(running.publicUrl, fake.issuer).signInWeb({ provider: 'oidc' });
    expect(await profile(other.accessToken)).toMatchObject({ email: 'mallory@evil.test' });
    await start({ ...environmentOf(company.issuer) });
    expect(await profile(before.accessToken)).toMatchObject({ email: 'ana@acme.test' });
  });
});

describe('alongside Google', () => {
  let google: FakeGoogle;
  beforeAll(async () => {
    google = await startFakeGoogle('google-client');
    await start(
      {
        ...environmentOf(company.issuer),
        OIDC_NAME: 'Acme',
        GOOGLE_CLIENT_ID: 'google-client',
        GOOGLE_CLIENT_SECRET: 'google-secret',
        ADMIN_EMAILS: 'ana@acme.test',
      },
      google.issuer,
    );
  });
  afterAll(() => google.close());

  test('a user chooses between the two, and each account is a separate user', async () => {
    google.person.email = company.person.email;
    const atAcme = await browserOf().signInWeb({ provider: 'oidc' });
    const atGoogle = await new ProviderBrowser(running.publicUrl, google.issuer).signInWeb({ provider: 'google' });
    const [one, two] = [await profile(atAcme.accessToken), await profile(atGoogle.accessToken)];
    expect(one).toMatchObject({ provider: 'oidc', email: 'ana@acme.test' });
    expect(two).toMatchObject({ provider: 'google', email: 'ana@acme.test' });
    expect((one as { id: string }).id).not.toBe((two as { id: string }).id);
  });

  test('[USR-10] the record of each user names their sign-in provider', async () => {
    google.person.email = company.person.email;
    await new ProviderBrowser(running.publicUrl, google.issuer).signInWeb({ provider: 'google' });
    const { accessToken } = await browserOf().signInWeb({ provider: 'oidc' });
    const answer = await get('/admin/users?search=ana@acme.test', accessToken);
    const { users } = (await answer.json()) as { users: { email: string; provider: string }[] };
    expect(users.map(({ email }) => email)).toEqual(['ana@acme.test', 'ana@acme.test']);
    expect(users.map(({ provider }) => provider).toSorted()).toEqual(['google', 'oidc']);
  });

  test('a client’s consent says that sign-in comes next, and then the user chooses the provider', async () => {
    const browser = browserOf();
    const tokens = await browser.signInMcpClient({ provider: 'oidc' });
    expect(tokens.accessToken).not.toBe('');
    const other = new ScriptedBrowser(running.publicUrl);
    const registered = await fetch(`${running.publicUrl}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ client_name: 'Two ways', redirect_uris: ['https://client.test/callback'] }),
    });
    const { client_id: clientId }: { client_id: string } = JSON.parse(await registered.text());
    const consent = await other.open(
      other.authorizeUrl({
        client_id: clientId,
        redirect_uri: 'https://client.test/callback',
        code_challenge: 'c'.repeat(43),
      }),
    );
    if (!('page' in consent)) throw new Error('no consent');
    const choice = await other.submit(consent.page, { allow: '1' });
    if (!('page' in choice)) throw new Error('no choice');
    expect(consent.page.text).toContain("You'll sign in next.");
    expect(choice.page.text).toMatch(/value="google">Continue with Google<[^]*value="oidc">Continue with Acme</);
    expect(choice.page.text).toContain('<input type="hidden" name="allow" value="1">');
  });

  test('the response of one provider is refused at the callback of the other', async () => {
    const browser = browserOf();
    const back = new URL(await browser.leave('/auth/oidc?return_to=/auth/success'));
    // even with its cookie, which a browser sends nowhere else
    const cookieName = pendingCookieName(back.searchParams.get('state') ?? '');
    browser.setCookie(cookieName, browser.cookie(cookieName) ?? '', '/auth');
    back.pathname = '/auth/google/callback';
    const refused = await browser.open(back);
    expect('page' in refused && refused.page.status).toBe(400);
    expect(running.logged(), 'and no provider is queried about it').not.toContain('a sign-in was refused');
  });
});

describe('a dishonest provider', () => {
  let lying: FakeGoogle;
  beforeAll(async () => {
    lying = await startFakeGoogle(companyClient.clientId);
    await start(environmentOf(lying.issuer));
  });
  afterAll(() => lying.close());

  const faults = ['issuer', 'nonce', 'audience', 'signature', 'expired', 'hmac', 'no-email'] as const;
  test.each(faults satisfies readonly FakeGoogleFault[])(
    'a response of the company’s provider with a wrong %s is refused',
    async (fault) => {
      lying.fault = fault;
      const outcome = await attempt(new ProviderBrowser(running.publicUrl, lying.issuer));
      expect(outcome).toContain('The answer of the sign-in provider is not valid');
    },
  );
});

describe("a provider that does not accept the client's secret", () => {
  const reasons = () =>
    [...running.logged().matchAll(/"reason":"([^"]*)"[^\n]*"a sign-in was refused"/g)].map(([, reason]) => reason);

  test('the log says invalid_client, or the status if the provider gives no reason, and nothing else of the response', async () => {
    const lying = await startGoogle();
    await start(environmentOf(lying.issuer));
    for (const fault of ['secret', 'challenge'] as const) {
      lying.fault = fault;
      expect(await attempt(new ProviderBrowser(running.publicUrl, lying.issuer))).toContain('is not valid');
    }
    expect(reasons()).toEqual(['the provider refused: invalid_client', 'the provider refused: HTTP 401']);
    expect(running.logged()).not.toContain('wrong: ');
  });

  test('the log says the same for a provider that takes the secret in a form', async () => {
    await start({ ...environmentOf(company.issuer), OIDC_CLIENT_SECRET: 'another' });
    expect(await attempt()).toContain('is not valid');
    expect(reasons()).toEqual(['the provider refused: invalid_client']);
  });
});

describe('the algorithm of a provider’s identity tokens', () => {
  async function attemptAt(options: Parameters<typeof startFakeGoogle>[1]): Promise<string> {
    const provider = await startGoogle(options);
    await start(environmentOf(provider.issuer));
    return attempt(new ProviderBrowser(running.publicUrl, provider.issuer));
  }

  test.each(['PS256', 'ES256', 'EdDSA'])('is the one in its metadata: %s', async (algorithm) => {
    expect(await attemptAt({ algorithm })).toBe('signed in');
    expect(await attemptAt({ algorithm, announced: ['RS256'] })).toContain('is not valid');
  });

  test('is RS256 if the metadata names none', async () => {
    expect(await attemptAt({ announced: null })).toBe('signed in');
    expect(await attemptAt({ announced: null, algorithm: 'ES256' })).toContain('is not valid');
  });
});
