import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { ScriptedBrowser, challengeOf, type LoadedPage } from '#testing/people/scripted-browser.ts';
import { migrations } from '../../migrations.ts';
import { startIdentity, type RunningIdentity } from './testing/start-identity.ts';

let running: RunningIdentity;
let enabled: readonly string[] = [];
let obstacles = { isOutsidePlan: false, needsAccount: false };

beforeAll(async () => {
  running = await startIdentity({
    db: await openTestDatabase(migrations),
    services: {
      nameOf: (serverId) => (serverId === 'travel' ? 'Travel & <Tours>' : undefined),
      enabledBy: async () => enabled,
      obstaclesOf: async () => obstacles,
    },
  });
});
afterAll(async () => {
  await running.close();
  await running.db.close();
});
const newBrowser = () => new ScriptedBrowser(running.publicUrl);

/** Opens the consent page of a client that has just registered. */
async function openConsent(
  browser: ScriptedBrowser,
  { redirectUri = 'http://127.0.0.1:53682/callback', name = 'A client', resource = '/mcp' } = {},
): Promise<LoadedPage> {
  const registered = await fetch(`${running.publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri] }),
  });
  const { client_id: clientId }: { client_id?: string } = Object(await registered.json());
  const step = await browser.open(
    browser.authorizeUrl({
      client_id: clientId ?? '',
      redirect_uri: redirectUri,
      code_challenge: challengeOf('v'),
      resource: running.publicUrl + resource,
    }),
  );
  return pageOf(step);
}

function pageOf(step: Awaited<ReturnType<ScriptedBrowser['open']>>): LoadedPage {
  if (!('page' in step)) throw new Error(`left to ${step.left.href}`);
  return step.page;
}

/** Returns the text of a page, without its markup. */
const words = ({ text }: LoadedPage) =>
  text
    .slice(text.indexOf('<h1>'))
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&#(\d+);/g, (_match, code) => String.fromCharCode(Number(code)))
    .replaceAll(/\s+/g, ' ');

test('the consent says which client asks, what it will be able to do, and where the browser is sent back to', async () => {
  const page = words(await openConsent(newBrowser(), { name: 'Claude Code' }));
  expect(page).toContain('Allow Claude Code to use your Souk account?');
  expect(page).toContain('Unverified application.');
  expect(page).toContain('It will be able to: List and use your tools; calls may cost credits');
  expect(page).toContain(
    `Using ${running.publicUrl}/mcp. You'll be sent back to 127.0.0.1:53682, an app on this computer.`,
  );
  const ofApp = words(await openConsent(newBrowser(), { redirectUri: 'cursor://anysphere/callback' }));
  expect(ofApp).toContain("You'll be sent back to cursor:, an app on this computer.");
  const ofSite = words(await openConsent(newBrowser(), { redirectUri: 'https://claude.ai/api/mcp/auth_callback' }));
  expect(ofSite).toContain("You'll be sent back to claude.ai.");
});

test('the consent names the services: for a link of one server that one, otherwise those that the user has enabled', async () => {
  const one = await openConsent(newBrowser(), { resource: '/s/travel/mcp' });
  expect(words(one)).toContain('ServiceTravel & <Tours> Account');
  expect(words(one)).toContain("List and use Travel & <Tours>'s tools; calls may cost credits");
  expect(words(one)).not.toContain('your services');
  expect(one.text).not.toContain('<Tours>');
  expect(words(await openConsent(newBrowser()))).toContain('ServicesEvery service that you enable');

  const browser = newBrowser();
  await browser.signInWeb({ email: 'bea@souk.test' });
  enabled = ['Calendar', 'Notes <b>'];
  const some = await openConsent(browser);
  expect(words(some)).toContain('ServicesCalendar, Notes <b>, and services that you enable later');
  expect(some.text).not.toContain('<b>');
  enabled = Array.from({ length: 40 }, (_, index) => `Service ${index}`);
  expect(words(await openConsent(browser))).toContain('Service 11 and 28 more, and services that you enable later');
  enabled = [];
  expect(words(await openConsent(browser))).toContain('ServicesEvery service that you enable');
});

test('the consent says what prevents the tools of a service from working: the plan, or a missing account', async () => {
  const browser = newBrowser();
  await browser.signInWeb({ email: 'bea@souk.test' });
  const open = async () => words(await openConsent(browser, { resource: '/s/travel/mcp' }));
  obstacles = { isOutsidePlan: true, needsAccount: true };
  const outside = await open();
  expect(outside).toContain("Travel & <Tours> is not in your plan; its tools won't work.");
  expect(outside).not.toContain('also needs');
  obstacles = { isOutsidePlan: false, needsAccount: true };
  expect(await open()).toContain('Travel & <Tours> also needs your Travel & <Tours> account.');
  obstacles = { isOutsidePlan: false, needsAccount: false };
  expect(await open()).not.toMatch(/not in your plan|also needs/);
});

test('"Not you?" signs this browser out, asks for another account and returns to the same consent', async () => {
  const browser = newBrowser();
  const { accessToken } = await browser.signInWeb({ email: 'bea@souk.test' });
  const page = await openConsent(browser, { name: 'Scripted' });
  expect(words(page)).toContain(
    'Accountbea@souk.test (stand-in) Not you? Use another account. It signs you out in this browser first.',
  );

  const accounts = pageOf(await browser.submit(page, { switch: '1' }));
  expect(accounts.url.pathname).toMatch(/^\/dev-google\/choose\//);
  const profile = await fetch(`${running.publicUrl}/v2/user/profile`, {
    headers: { authorization: `Bearer ${accessToken}` },
  });
  expect(profile.status, 'bea is signed out').toBe(401);

  const again = pageOf(await browser.submit(accounts, { email: 'carl@souk.test' }));
  expect(words(again)).toContain('Allow Scripted to use your Souk account?');
  expect(words(again)).toContain('Accountcarl@souk.test');
  const allowed = await browser.submit(again, { allow: '1' });
  expect('left' in allowed && allowed.left.searchParams.get('code')).toBeTruthy();
});

test('[GEN-30] the consent cannot be skipped: switching, a foreign form or an empty one allows nothing', async () => {
  const browser = newBrowser();
  await browser.signInWeb({ email: 'bea@souk.test' });
  const page = await openConsent(browser);
  const foreign = await browser.postForm(page.url.pathname, { allow: '1' }, { origin: 'https://evil.test' });
  expect([foreign.status, foreign.headers.get('location')]).toEqual([403, null]);
  const both = pageOf(await browser.submit(page, { switch: '1', allow: '1' }));
  const after = await browser.submit(both, { email: 'bea@souk.test' });
  expect(words(pageOf(after))).toContain('Allow A client');
  const empty = await browser.submit(pageOf(after), {});
  expect('left' in empty && empty.left.searchParams.get('error')).toBe('access_denied');
});
