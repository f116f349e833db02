import type { Endpoint } from '@souk/contract/endpoint.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { endpoints } from '../../openapi.ts';

// Every call of administrators, as listed in the contract: a new call is tested without a change here.

const ofAdministrators: readonly Endpoint[] = endpoints.filter(({ access }) => access === 'admin');
const addressOf = ({ method, path }: Endpoint) => `${method} ${path}`;

let app: TestApp;
let administratorsCookie: string;
const tokens: Record<'user' | 'personal' | 'client', string> = { user: '', personal: '', client: '' };

beforeAll(async () => {
  app = await startTestApp();
  const browser = () => new ScriptedBrowser(app.publicUrl);
  const email = 'admin@souk.test';
  tokens.user = (await browser().signInWeb({ email: 'bea@souk.test' })).accessToken;
  tokens.client = (await browser().signInMcpClient({ email })).accessToken;
  const signedIn = browser();
  await signedIn.signInWeb({ email });
  const refresh = signedIn.cookie('souk_refresh');
  if (refresh === undefined) throw new Error('signed in without a cookie');
  administratorsCookie = `souk_refresh=${refresh}`;
  tokens.personal = (await app.identity.createPersonalToken({ email, name: 'test' })).token;
});
afterAll(() => app?.stop());

async function send({ method, path, body }: Endpoint, headers: Record<string, string>) {
  const id = '00000000-0000-4000-8000-000000000000';
  const answer = await fetch(`${app.publicUrl}${path.replaceAll(/:\w+/g, id)}`, {
    method,
    headers: { ...headers, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: '{}' }),
  });
  const text = await answer.text();
  return { status: answer.status, body: JSON.parse(text === '' ? '{}' : text) as unknown, headers: answer.headers };
}

const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const needsAdmin = { success: false, code: 'admin_required', message: 'Access denied. Admin privileges required.' };
const needsSession = {
  success: false,
  code: 'authentication_required',
  message: 'Authentication required. Please log in.',
};
const needsSignIn = {
  success: false,
  code: 'unauthenticated',
  message: 'Authentication failed. Please log in again.',
};

test('the contract has calls for administrators, each below /admin', () => {
  expect(ofAdministrators.length).toBeGreaterThan(25);
  expect(ofAdministrators.filter(({ path }) => !path.startsWith('/admin/')).map(addressOf)).toEqual([]);
});

test.each(ofAdministrators.map((endpoint) => [addressOf(endpoint), endpoint] as const))(
  '%s is refused to visitors, users, personal tokens, tokens of clients and pages of another origin',
  async (_address, endpoint) => {
    const expectRefused = async (headers: Record<string, string>, status: number, body: object) => {
      const answer = await send(endpoint, headers);
      expect({ status: answer.status, body: answer.body }).toEqual({ status, body });
      expect(answer.headers.get('access-control-allow-credentials')).toBeNull();
    };
    await expectRefused({}, 401, needsSession);
    for (const kind of ['user', 'personal'] as const) await expectRefused(bearer(tokens[kind]), 403, needsAdmin);
    // issued for another audience, it says nothing about its owner
    await expectRefused(bearer(tokens.client), 401, needsSignIn);
    // a page of another origin has the cookies of an administrator, and no token
    await expectRefused({ origin: 'https://evil.test', cookie: administratorsCookie }, 401, needsSession);
  },
);
