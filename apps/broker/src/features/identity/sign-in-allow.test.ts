import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { freePort } from '#testing/network/free-port.ts';
import { ScriptedBrowser, type McpClientTokens, type WebTokens } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

let db: Database;
let port: number;
let running: RunningIdentity;
beforeAll(async () => {
  db = await openTestDatabase(migrations);
  port = await freePort();
  running = await startIdentity({ db, listenPort: port });
});
afterAll(async () => {
  await running.close();
  await db.close();
});

async function restart(environment: NodeJS.ProcessEnv): Promise<void> {
  await running.close();
  running = await startIdentity({ db, listenPort: port, environment });
}

type Person = { browser: ScriptedBrowser; web: WebTokens; client: McpClientTokens; personal: string };

async function signInEverywhere(email: string): Promise<Person> {
  const browser = new ScriptedBrowser(running.publicUrl);
  const web = await browser.signInWeb({ email });
  const client = await browser.signInMcpClient({ email });
  const { token: personal } = await running.identity.createPersonalToken({ email, name: 'script' });
  return { browser, web, client, personal };
}

/** Returns the status of each use of the user's tokens. */
async function uses({ browser, web, client, personal }: Person) {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const profile = async (token: string) => (await fetch(`${running.publicUrl}/v2/user/profile`, bearer(token))).status;
  const mcp = async (token: string) =>
    (await fetch(`${running.publicUrl}/mcp`, { method: 'POST', ...bearer(token) })).status;
  const { clientId, refreshToken } = client;
  return {
    web: await profile(web.accessToken),
    personal: await profile(personal),
    mcpClient: await mcp(client.accessToken),
    mcpPersonal: await mcp(personal),
    webRefresh: (await browser.postForm('/oauth/token', { grant_type: 'refresh_token', client_id: 'frontend' })).status,
    clientRefresh: (
      await browser.postForm('/oauth/token', {
        grant_type: 'refresh_token',
        client_id: clientId,
        refresh_token: refreshToken,
      })
    ).status,
  };
}

test('with SIGN_IN_ALLOW the tokens of named users work, and all other tokens are refused at each use', async () => {
  await restart({});
  const [ana, bob, eve] = [
    await signInEverywhere('ana@acme.test'),
    await signInEverywhere('bob@other.test'),
    await signInEverywhere('eve@sub.acme.test'),
  ];
  await restart({ SIGN_IN_ALLOW: 'ACME.test, Bob@other.test' });
  const good = { web: 200, personal: 200, mcpClient: 200, mcpPersonal: 200, webRefresh: 200, clientRefresh: 200 };
  const refused = { web: 401, personal: 401, mcpClient: 401, mcpPersonal: 401, webRefresh: 400, clientRefresh: 400 };
  expect(await uses(ana)).toEqual(good);
  expect(await uses(bob)).toEqual(good);
  expect(await uses(eve)).toEqual(refused);
  // her session at the authorization server has no user: she is asked to sign in
  const again = await eve.browser.open(loginPath);
  expect('page' in again && again.page.text).toContain('name="provider"');
});

test('a user who is not named gets a page that says what to do, and no account', async () => {
  await restart({ SIGN_IN_ALLOW: 'acme.test', SUPPORT_EMAIL: 'help@acme.test' });
  const browser = new ScriptedBrowser(running.publicUrl);
  const refused = await browser.signInWeb({ email: 'mallory@evil.test' }).catch((error: unknown) => String(error));
  expect(refused).toContain('stopped at 403');
  expect(refused).toContain(
    'You chose <strong>mallory@evil.test</strong>. The operator of Souk has not let this address in.',
  );
  expect(refused).toContain('href="mailto:help@acme.test"');
  const { rows } = await db.query(`select 1 from users where email = 'mallory@evil.test'`);
  expect(rows).toEqual([]);
});

test('from that page the user can continue with another account: on the web, in a client, and without either', async () => {
  await restart({ SIGN_IN_ALLOW: 'acme.test' });
  for (const start of [
    loginPath,
    '/auth/google?return_to=/auth/success',
    new ScriptedBrowser(running.publicUrl).authorizeUrl(await registerClient()),
  ]) {
    const browser = new ScriptedBrowser(running.publicUrl);
    const stopped = await goOn(browser, await browser.open(start), 'mallory@evil.test');
    if (!('page' in stopped)) throw new Error(`let in: ${stopped.left.href}`);
    expect(stopped.page.status).toBe(403);
    const [, method, action = ''] = /<form method="(\w+)" action="([^"]+)"/.exec(stopped.page.text) ?? [];
    const fields = Object.fromEntries(
      [...stopped.page.text.matchAll(/type="hidden" name="(\w+)" value="([^"]*)"/g)].map(([, name, value]) => [
        name ?? '',
        value ?? '',
      ]),
    );
    const query = new URLSearchParams(fields);
    const anew =
      method === 'get'
        ? await browser.open(`${action}?${query.toString()}`)
        : await browser.open(action, { method: 'POST', headers: { origin: running.publicUrl }, body: query });
    const end = await goOn(browser, anew, 'ana@acme.test');
    expect('left' in end && (end.left.searchParams.has('code') || end.left.searchParams.has('token'))).toBe(true);
  }
});

test('the operator cannot create a token for a user who is not named', async () => {
  await restart({ SIGN_IN_ALLOW: 'acme.test' });
  const create = running.identity.createPersonalToken;
  await expect(create({ email: 'mallory@evil.test', name: 'x' })).rejects.toThrow(
    'SIGN_IN_ALLOW does not let mallory@evil.test in.',
  );
  expect((await create({ email: 'ana@acme.test', name: 'x' })).token).toContain('souk_pat_');
});

const loginPath = `/login?${new URLSearchParams({ return_to: '/auth/callback', state: 'a', code_challenge: 'a'.repeat(43) }).toString()}`;

async function registerClient() {
  const redirectUri = 'http://127.0.0.1:53999/callback';
  const answer = await fetch(`${running.publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Client', redirect_uris: [redirectUri] }),
  });
  const { client_id: clientId }: { client_id: string } = JSON.parse(await answer.text());
  return { client_id: clientId, redirect_uri: redirectUri, code_challenge: 'c'.repeat(43) };
}

/** Clicks through the pages of a sign-in as this user, until it succeeds or is refused. */
async function goOn(browser: ScriptedBrowser, first: Awaited<ReturnType<ScriptedBrowser['open']>>, email: string) {
  let step = first;
  for (let clicks = 0; clicks < 6 && 'page' in step && step.page.status === 200; clicks++) {
    const { text } = step.page;
    const fields = text.includes('name="provider"')
      ? { provider: 'google' }
      : text.includes('name="email"')
        ? { email }
        : { allow: '1' };
    step = await browser.submit(step.page, fields);
  }
  return step;
}
