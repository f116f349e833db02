import { expect, test } from 'vitest';
import { createManifest } from './admin/manifests.ts';
import { getServer } from './catalogue/catalogue-search.ts';
import { getInfo } from './catalogue/catalogue.ts';
import { ApiError, createClient } from './client.ts';

/** Returns the error that the client throws for one response of the server. */
async function failureOf(answer: Response): Promise<ApiError> {
  const client = createClient([getInfo] as const, { baseUrl: 'https://souk.example', fetch: async () => answer });
  const error: unknown = await client.getMcpInfo().then(
    () => 'no error',
    (thrown: unknown) => thrown,
  );
  if (error instanceof ApiError) return error;
  throw new Error(`not an ApiError: ${String(error)}`);
}

test('[SES-36] a call sends the current bearer token, and none if there is none', async () => {
  const sent: (string | null)[] = [];
  const tokens = ['first', 'second', undefined];
  const client = createClient([getInfo] as const, {
    baseUrl: 'https://souk.example',
    fetch: async (_url, init) => {
      sent.push(new Headers(init.headers).get('authorization'));
      return new Response('', { status: 500 });
    },
    token: () => tokens.shift(),
  });
  for (let call = 0; call < 3; call += 1) await client.getMcpInfo().catch(() => undefined);
  expect(sent).toEqual(['Bearer first', 'Bearer second', null]);
});

test.each([401, 403, 404, 502])('[ERR-5] the message of any JSON error body is shown: %i', async (status) => {
  const failure = await failureOf(Response.json({ message: 'The proxy is restarting.' }, { status }));
  expect(failure).toMatchObject({ status, message: 'The proxy is restarting.' });
  expect(failure.serverMessage).toBe('The proxy is restarting.');
});

test('[ERR-5] [ERR-10] a body of ours includes its code', async () => {
  const body = { success: false, code: 'rate_limited', message: 'Too many requests.' };
  expect(await failureOf(Response.json(body, { status: 429 }))).toMatchObject({
    code: 'rate_limited',
    message: 'Too many requests.',
  });
});

test("[ERR-1] a 401 without a message gives 'Authentication failed. Please log in again.'", async () => {
  const failure = await failureOf(new Response('<html>', { status: 401, statusText: 'Unauthorized' }));
  expect(failure.message).toBe('Authentication failed. Please log in again.');
  expect(failure.serverMessage).toBeUndefined();
});

test("[ERR-3] a 403 without a message gives 'Access denied. Required permissions missing.'", async () => {
  const failure = await failureOf(new Response('<html>', { status: 403, statusText: 'Forbidden' }));
  expect(failure.message).toBe('Access denied. Required permissions missing.');
});

test('[ERR-6] another failure without a message gives the status and its text', async () => {
  const other = new Response('<html>', { status: 502, statusText: 'Upstream is away' });
  expect((await failureOf(other)).message).toBe('HTTP 502: Upstream is away');
});

test('[ERR-6] without a status text, as in HTTP/2, the standard phrase is shown', async () => {
  expect((await failureOf(new Response('', { status: 502 }))).message).toBe('HTTP 502: Bad Gateway');
  expect((await failureOf(Response.json({ message: ' ' }, { status: 504 }))).message).toBe('HTTP 504: Gateway Timeout');
  expect((await failureOf(new Response('', { status: 520 }))).message).toBe('HTTP 520: Unknown Error');
});

test('a message of a foreign body is truncated', async () => {
  const failure = await failureOf(Response.json({ message: 'x'.repeat(100_000) }, { status: 500 }));
  expect(failure.message).toHaveLength(1000);
});

test('an aborted call ends with the reason of its signal, before and after the response has begun', async () => {
  for (const answer of ['none', 'begun'] as const) {
    const stop = new AbortController();
    const reason = new Error('another letter was typed');
    const client = createClient([getServer] as const, {
      baseUrl: 'https://souk.example',
      fetch: async (_url, { signal }) => {
        stop.abort(reason);
        if (answer === 'none') signal?.throwIfAborted();
        return new Response('{"server":');
      },
    });
    const call = client.getServer({ params: { serverId: 'travel' } }, { signal: stop.signal });
    await expect(call, answer).rejects.toBe(reason);
  }
});

test('a raw body is sent as its text, including its errors', async () => {
  const sent: unknown[] = [];
  const client = createClient([createManifest] as const, {
    baseUrl: 'https://souk.example',
    fetch: async (_url, init) => {
      sent.push(init.body);
      return new Response('', { status: 500 });
    },
  });
  const text = '{"id":"a","id":"b"}';
  await client.createManifest({ query: {}, body: text }).catch(() => undefined);
  expect(sent).toEqual([text]);
});
