import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectLegacy, connectModern, postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp } from '#testing/start-app.ts';

let fixture: HttpFixture;

beforeAll(async () => {
  fixture = await startHttpFixture('both');
});
afterAll(() => fixture?.close());

test('too many calls in a minute are answered with a result that says so, too many requests with 429; neither is forwarded', async () => {
  let laterMs = 0;
  const limited = await startTestApp({
    allowAddresses: [fixture.address],
    env: { MCP_CALLS_PER_MINUTE_TOKEN: '3', MCP_REQUESTS_PER_MINUTE_TOKEN: '10' },
    clock: { now: () => Date.now() + laterMs },
  });
  const mine = await limited.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  await deployManifest(limited, { id: 'free', connection: { type: 'http', url: fixture.url } });
  const client = await connectModern(`${limited.publicUrl}/mcp`, mine.token);
  const results = [];
  for (let index = 0; index < 5; index++) results.push(await client.callTool({ name: 'free__echo', arguments: {} }));
  expect(results.map((result) => result.isError === true)).toEqual([false, false, false, true, true]);
  expect(results[4]?._meta).toMatchObject({ 'souk/code': 'rate_limited' });
  await client.close();

  // lists and other requests have a separate rate, which tool calls do not use
  const link = `${limited.publicUrl}/mcp`;
  const newToken = async () =>
    (await limited.identity.createPersonalToken({ email: 'ann@souk.test', name: 'own' })).token;
  const own = await newToken();
  const clients = [await connectModern(link, own), await connectLegacy(link, own)];
  const list = () => postModern(link, own, 'tools/list');
  const statuses = [];
  for (let index = 0; index < 10; index++) statuses.push((await list()).status);
  expect([statuses[0], statuses[9]]).toEqual([200, 429]);
  const refused = await list();
  expect(refused).toMatchObject({
    status: 429,
    body: { id: 1, error: { message: expect.stringMatching(/Try again in [1-6] seconds?\./) } },
  });
  const retryAfter = refused.headers.get('retry-after');
  expect(retryAfter).toMatch(/^[1-6]$/);
  expect(refused.body.error?.data).toEqual({ code: 'rate_limited', retryAfterSeconds: Number(retryAfter) });
  // clients of each era fail immediately, and say why
  for (const each of clients) await expect(each.listTools()).rejects.toThrow('Too many requests in the last minute');
  // each message of a batch counts
  const batch = JSON.stringify(Array.from({ length: 5 }, (_, id) => ({ jsonrpc: '2.0', id, method: 'ping' })));
  const batches = await newToken();
  const sendBatch = () => postRaw(link, batch, { authorization: `Bearer ${batches}` });
  expect([(await sendBatch()).status, (await sendBatch()).status, (await sendBatch()).status]).toEqual([400, 400, 429]);
  // messages that end running work are never limited
  const over = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } };
  const tell = (message: object) => postRaw(link, JSON.stringify(message), { authorization: `Bearer ${own}` });
  expect((await tell(over)).status).toBe(202);
  const answered = await tell({ jsonrpc: '2.0', id: 1, result: {} });
  expect(answered.status).toBe(400);
  expect(answered.body.error?.message).toContain('Mcp-Session-Id');
  laterMs += 6_000;
  expect((await list()).status).toBe(200);
  await Promise.all(clients.map((each) => each.close()));
  await limited.stop();
});

test("calls over the user's limit do not use the limit of their token", async () => {
  let laterMs = 0;
  const limited = await startTestApp({
    allowAddresses: [fixture.address],
    env: { MCP_CALLS_PER_MINUTE_TOKEN: '3', MCP_CALLS_PER_MINUTE_USER: '4' },
    clock: { now: () => Date.now() + laterMs },
  });
  await deployManifest(limited, { id: 'free', connection: { type: 'http', url: fixture.url } });
  const callWith = async (name: string) => {
    const { token } = await limited.identity.createPersonalToken({ email: 'ann@souk.test', name });
    const params = { name: 'free__echo', arguments: {} };
    return async () =>
      (await postModern(`${limited.publicUrl}/mcp`, token, 'tools/call', params)).body.result?.['isError'];
  };
  const [first, second] = [await callWith('laptop'), await callWith('phone')];
  for (let index = 0; index < 3; index++) expect(await first()).toBeUndefined();
  expect(await second()).toBeUndefined();
  for (let index = 0; index < 3; index++) expect(await second()).toBe(true);
  // the user has two calls again, and the second token still had two of its three
  laterMs += 31_000;
  expect([await second(), await second(), await second()]).toEqual([undefined, undefined, true]);
  await limited.stop();
});

test('calls that are refused before any server is contacted count too, so names cannot be guessed endlessly', async () => {
  const limited = await startTestApp({
    allowAddresses: [fixture.address],
    env: { MCP_CALLS_PER_MINUTE_TOKEN: '2' },
    clock: { now: () => 0 },
  });
  const connection = { type: 'http', url: fixture.url };
  await deployManifest(limited, { id: 'free', connection });
  await deployManifest(limited, { id: 'paid', connection, billing: { tier: 'T3' } });
  const link = `${limited.publicUrl}/mcp`;
  const guesses: [string, Record<string, unknown>][] = [
    ['tools/call', { name: 'free__nothing' }],
    ['tools/call', { name: 'paid__echo' }],
    ['tools/call', { name: 'call_tool', arguments: { name: 'free__nothing', arguments: {} } }],
    ['prompts/get', { name: 'free__nothing' }],
    ['resources/read', { uri: 'test://nothing' }],
  ];
  for (const [method, params] of guesses) {
    const { token } = await limited.identity.createPersonalToken({ email: 'ann@souk.test', name: 'own' });
    const guess = async () => JSON.stringify((await postModern(link, token, method, params)).body);
    const told = [await guess(), await guess(), await guess()].map((text) => text.includes('rate_limited'));
    expect(told, JSON.stringify(params)).toEqual([false, false, true]);
    const good = await postModern(link, token, 'tools/call', { name: 'free__echo', arguments: {} });
    expect(good.body.result?.['_meta'], method).toMatchObject({ 'souk/code': 'rate_limited' });
  }
  await limited.stop();
});
