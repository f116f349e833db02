import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

/** Dishonest requests: each gets an OAuth error, and none bypasses the rules. */
let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

async function register(body: string, contentType = 'application/json') {
  const response = await fetch(`${app.publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': contentType },
    body,
  });
  const answer: unknown = await response.json();
  return { status: response.status, answer: { ...(typeof answer === 'object' && answer) } as Record<string, unknown> };
}
const client = (change: object) => register(JSON.stringify({ redirect_uris: ['http://127.0.0.1/cb'], ...change }));

test("our web app's codes are sent only to its own address, even if another port of this machine is requested", async () => {
  const browser = new ScriptedBrowser(app.publicUrl);
  await browser.signInWeb({ email: 'bea@souk.test' });
  const ask = async (redirectUri: string) => {
    const url = new URL('/oauth/authorize', app.publicUrl);
    url.search = new URLSearchParams({
      client_id: 'frontend',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'mcp:tools',
      state: 'a'.repeat(32),
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    }).toString();
    return browser.request(url);
  };
  const host = new URL(app.publicUrl).hostname;
  for (const other of [`http://${host}:9999/auth/callback`, `http://${host}/auth/callback`, 'http://127.0.0.1:1/cb']) {
    const answer = await ask(other);
    expect(answer.status, other).toBe(400);
    expect(answer.headers.get('location')).toBeNull();
  }
  expect((await ask(`${app.publicUrl}/auth/callback`)).status).toBe(303);
});

test('other spellings of this machine, and addresses that parsers read differently, are not accepted as redirects', async () => {
  for (const uri of [
    'http://2130706433/cb',
    'http://127.1/cb',
    'https://x.test\\@evil.test/cb',
    'https://x.test/a b',
  ]) {
    expect(await client({ redirect_uris: [uri] }), uri).toMatchObject({
      status: 400,
      answer: { error: 'invalid_redirect_uri' },
    });
  }
});

test('a name is visible text: hidden characters are removed, and NUL breaks nothing', async () => {
  expect((await client({ client_name: 'Cla\u200Bu\u0000de' })).answer['client_name']).toBe('Cla u de');
  expect((await client({ client_name: '\u200B' })).answer['client_name']).toBeUndefined();
});

test('NUL in an authorization or token request is an error of the request', async () => {
  const authorize = await fetch(`${app.publicUrl}/oauth/authorize?client_id=a%00b&state=%00&response_type=code`);
  expect(authorize.status).toBe(400);
  const token = await fetch(`${app.publicUrl}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({ grant_type: 'authorization_code', client_id: 'a\0b', code: '\0' }),
  });
  expect(token.status).toBe(400);
});

test('registrations that are too large, of another type or not JSON are refused with an OAuth error', async () => {
  for (const [body, type, status, error_description] of [
    [JSON.stringify({ client_name: 'x'.repeat(20_000) }), 'application/json', 413, 'The request body is too large.'],
    ['a=b', 'text/plain', 415, 'The request body must be JSON.'],
    ['{', 'application/json', 400, 'The request body is not valid JSON.'],
  ] as const) {
    expect(await register(body, type), `${status}`).toMatchObject({
      status,
      answer: { error: 'invalid_client_metadata', error_description },
    });
  }
});

test('the consent page names the scheme of an application, not the host after it', async () => {
  const redirect = 'com.example.app://claude.ai/api/mcp/auth_callback';
  const { answer } = await client({ client_name: 'Claude', redirect_uris: [redirect] });
  const url = new URL('/oauth/authorize', app.publicUrl);
  url.search = new URLSearchParams({
    client_id: String(answer['client_id']),
    response_type: 'code',
    redirect_uri: redirect,
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  }).toString();
  const page = JSON.stringify(await new ScriptedBrowser(app.publicUrl).open(url));
  expect(page).toContain('<strong>com.example.app:</strong>');
  expect(page).not.toContain('<strong>claude.ai</strong>');
});
