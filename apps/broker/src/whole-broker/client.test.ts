import { catalogueEndpoints } from '@souk/contract/catalogue/catalogue.ts';
import { ApiError, createClient } from '@souk/contract/client.ts';
import { identityEndpoints } from '@souk/contract/identity.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

const endpoints = [...catalogueEndpoints, ...identityEndpoints] as const;
let app: TestApp;
let annsToken: string;

beforeAll(async () => {
  app = await startTestApp();
  annsToken = (await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'ann@souk.test' })).accessToken;
});
afterAll(() => app?.stop());

const client = (over: { fetch?: typeof fetch; baseUrl?: string; token?: () => string | undefined } = {}) =>
  createClient(endpoints, { baseUrl: app.publicUrl, fetch, token: () => annsToken, ...over });

async function failureOf(call: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await call.then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`not an ApiError: ${String(error)}`);
}

test('the typed client calls the broker and returns what the contract says', async () => {
  const { getMcpInfo, createPersonalToken, listPersonalTokens, revokePersonalToken, getUserProfile } = client();
  expect((await getMcpInfo()).link).toBe(`${app.publicUrl}/mcp`);
  expect((await getUserProfile()).email).toBe('ann@souk.test');
  const created = await createPersonalToken({ body: { name: 'typed' } });
  expect((await listPersonalTokens()).tokens.map(({ id }) => id)).toEqual([created.id]);
  await revokePersonalToken({ params: { id: created.id } });
  expect((await listPersonalTokens()).tokens).toEqual([]);
});

test('the API accepts only JSON: a form is refused, although sign-in pages use forms', async () => {
  const answer = await fetch(`${app.publicUrl}/auth/pat/create`, {
    method: 'POST',
    headers: { authorization: `Bearer ${annsToken}` },
    body: new URLSearchParams({ name: 'by form' }),
  });
  expect(answer.status).toBe(415);
  const failure = await failureOf(client().createPersonalToken({ body: { name: 'a\u0000b\u202E' } }));
  expect(failure).toMatchObject({ status: 400, code: 'pat_create_failed' });
});

test("[ERR-5] a failure carries the response's message, its code and its fields", async () => {
  const error = await failureOf(client().createPersonalToken({ body: { name: '', expiresInDays: 0 } }));
  expect(error).toMatchObject({ status: 400, code: 'pat_create_failed', message: 'Failed to create PAT' });
  expect(error.issues.map(({ path }) => path)).toEqual(['name', 'expiresInDays']);
});

test("[ERR-1] [ERR-6] without a token the text is the catalogue's, without a message it is the status", async () => {
  const failureWith = async (given?: string) =>
    (await failureOf(client({ token: () => given }).getUserProfile())).message;
  expect(await failureWith()).toBe('Authentication required. Please log in.');
  expect(await failureWith('nonsense')).toBe('Authentication failed. Please log in again.');
  const gateway = async () => new Response('<html>', { status: 502, statusText: 'Bad Gateway' });
  expect((await failureOf(client({ fetch: gateway }).getMcpInfo())).message).toBe('HTTP 502: Bad Gateway');
});

test("[ERR-7] a network failure is 'Network error occurred', anything else unexpected 'An unexpected error occurred'", async () => {
  const dead = client({ baseUrl: 'http://127.0.0.1:9' });
  expect(await failureOf(dead.getMcpInfo())).toMatchObject({ status: undefined, message: 'Network error occurred' });
  const odd = async () => Response.json({ name: 1 });
  expect((await failureOf(client({ fetch: odd }).getMcpInfo())).message).toBe('An unexpected error occurred');
});
