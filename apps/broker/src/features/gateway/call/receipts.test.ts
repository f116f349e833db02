import { listCalls } from '@souk/contract/usage.ts';
import { randomUUID } from 'node:crypto';
import { afterAll, afterEach, beforeAll, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { checkLedger, grantCredits } from '#features/billing/index.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { openSession } from '#testing/people/open-session.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

// What users learn about the cost of a call: in its result, and in the log of calls.

const price = 5;
const given = 100;
/** A tool for the fast path on both sides, and one for the SDK on both sides. */
const tools = ['say', 'mirrored'] as const;

let app: TestApp;
let server: EndingServer;
let token: string;
let userId: string;

beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({
    allowAddresses: [server.address],
    env: { ...withoutHealthChecks, MCP_CALLS_PER_MINUTE_USER: '100000' },
  });
  const connection = { type: 'http', url: server.url };
  const toolCosts = { say: price, mirrored: price };
  const priced = { connection, billing: { tier: 'T0', toolCosts } };
  await deployManifest(app, { id: 'paid', ...priced });
  // for calls that hang: no other call has to be answered within its deadline
  await deployManifest(app, { id: 'hanging', ...priced, deadlines: { connectMs: 30_000, callMs: 500 } });
  await deployManifest(app, { id: 'failing', ...priced });
  await deployManifest(app, { id: 'slow', ...priced, deadlines: { callMs: 300_000 } });
  await deployManifest(app, { id: 'strict', connection, billing: { tier: 'T0', toolCosts, chargeOnErrors: true } });
  await deployManifest(app, { id: 'gratis', connection });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});
beforeEach(async () => {
  const email = `${randomUUID()}@souk.test`;
  ({ token } = await app.identity.createPersonalToken({ email, name: 'test' }));
  userId = await giveCredits(app, email, given);
});
afterEach(() => {
  vi.restoreAllMocks();
});

async function call(name: string, end: string) {
  const { body } = await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name, arguments: { end } });
  return body.result ?? {};
}
async function account() {
  await app.billing.ledger.flush();
  expect(await checkLedger(app.db)).toEqual([]);
  const { balance, held } = await app.billing.ledger.account(userId);
  return { balance, held };
}
/** Returns the log of calls, as its owner reads it. */
async function logged() {
  await Promise.all([app.billing.ledger.flush(), app.usage.flush()]);
  const headers = { authorization: `Bearer ${token}` };
  const answer = await fetch(`${app.publicUrl}/api/users/${userId}/calls`, { headers });
  const { calls } = listCalls.answer.parse(await answer.json());
  return calls.map(({ outcome, reason, credits }) => ({ outcome, reason, credits }));
}

test.each(tools)('a result says what it cost and how many credits are left: %s', async (tool) => {
  expect(await call(`paid__${tool}`, 'ok')).toMatchObject({
    content: [{ text: 'done' }],
    _meta: { 'souk/charged': price, 'souk/available': given - price },
  });
  expect(await call(`paid__${tool}`, 'ok')).toMatchObject({ _meta: { 'souk/available': given - 2 * price } });
  expect(await account()).toEqual({ balance: given - 2 * price, held: 0 });
});

test("a result in a session up to 2025-11-25 says it too, alongside the server's content", async () => {
  const url = `${app.publicUrl}/mcp`;
  const session = await openSession(url, token);
  const say = (end: string) => {
    const params = { name: 'paid__say', arguments: { end } };
    return postRaw(url, JSON.stringify({ jsonrpc: '2.0', id: end, method: 'tools/call', params }), session);
  };
  const receipt = { 'souk/charged': price, 'souk/available': given - price };
  expect((await say('ok')).body.result).toEqual({ content: [{ type: 'text', text: 'done' }], _meta: receipt });
  const forged = { theirs: 'kept', 'souk/charged': price, 'souk/available': given - 2 * price };
  expect((await say('forged')).body.result).toMatchObject({ _meta: forged });
  expect(JSON.stringify((await say('forged')).body)).not.toContain('canary');
});

test('the result of a free tool does not mention credits', async () => {
  for (const tool of tools) expect(JSON.stringify(await call(`gratis__${tool}`, 'ok'))).not.toContain('souk/');
});

test.each(tools)("a tool's error costs nothing, and says so: %s", async (tool) => {
  expect(await call(`paid__${tool}`, 'tool_error')).toMatchObject({
    isError: true,
    _meta: { 'souk/charged': 0, 'souk/available': given },
  });
  expect(await account()).toEqual({ balance: given, held: 0 });
});

test.each(tools)("a tool's error is charged if the manifest charges errors: %s", async (tool) => {
  const receipt = { 'souk/charged': price, 'souk/available': given - price };
  expect(await call(`strict__${tool}`, 'tool_error')).toMatchObject({ isError: true, _meta: receipt });
  await call(`strict__${tool}`, 'protocol_error');
  expect(await account()).toEqual({ balance: given - price, held: 0 });
  expect(await logged()).toEqual([
    { outcome: 'error', reason: 'protocol_error', credits: 0 },
    { outcome: 'error', reason: 'tool_error', credits: price },
  ]);
});

const reasons: Record<string, string> = {
  tool_error: 'tool_error',
  protocol_error: 'protocol_error',
  input_required: 'input_required',
  garbage: 'bad_upstream',
  oversize: 'result_too_large',
  hang: 'timeout',
  reset: 'upstream_unavailable',
};

test.each(tools)('[CAT-21] the log of calls says why a call cost nothing: %s', async (tool) => {
  for (const end of ['tool_error', 'protocol_error', 'input_required', 'garbage', 'oversize', 'hang', 'reset']) {
    const server = end === 'hang' ? 'hanging' : 'failing';
    await call(`${server}__${tool}`, end);
    const [newest] = await logged();
    expect(newest, end).toMatchObject({ reason: reasons[end], credits: 0 });
    // so that no circuit opens
    await call(`failing__${tool}`, 'ok');
  }
  expect(await account()).toEqual({ balance: given - 7 * price, held: 0 });
});

/** Disconnects as a client of 2026-07-28 while the server works. */
async function hangUp(tool: string): Promise<void> {
  const { body, ...request } = modernRequest(token, 'tools/call', { name: tool, arguments: { end: 'hang' } });
  const client = new AbortController();
  const before = server.hanging;
  const sent = fetch(`${app.publicUrl}/mcp`, { ...request, body, signal: client.signal }).catch(() => undefined);
  await waitUntil('it is at the server', () => server.hanging > before);
  client.abort();
  await sent;
  await waitUntil('the server is free again', () => server.hanging === before);
}

test('a call that its client aborts while the server works is free five times an hour, and then charged', async () => {
  for (let count = 0; count < 7; count++) await hangUp(`slow__${tools[count % 2]}`);
  await waitUntil('all are in the log', async () => (await logged()).length === 7);
  const free = { outcome: 'cancelled', reason: 'cancelled', credits: 0 };
  const charged = { outcome: 'cancelled', reason: 'aborts_used_up', credits: price };
  expect(await logged()).toEqual([charged, charged, free, free, free, free, free]);
  expect(await account()).toEqual({ balance: given - 2 * price, held: 0 });
  // an hour later
  await app.db.query(`update credit_free_aborts set at = at - interval '1 hour'`);
  await hangUp('slow__say');
  await waitUntil('it is in the log', async () => (await logged()).length === 8);
  expect((await logged())[0]).toEqual(free);
});

test('a call that is aborted before it was sent is free, and does not count towards the five', async () => {
  await deployManifest(app, {
    id: 'narrow',
    connection: { type: 'http', url: server.url },
    billing: { tier: 'T0', toolCosts: { say: price } },
    maxInFlight: 1,
    deadlines: { callMs: 300_000 },
  });
  const before = server.hanging;
  const running = call('narrow__say', 'hang');
  onTestFinished(async () => {
    server.answerHanging();
    await running;
  });
  await waitUntil('the slot is in use', () => server.hanging > before);
  const admit = vi.spyOn(app.upstreams.pool, 'admit');
  const { body, ...request } = modernRequest(token, 'tools/call', { name: 'narrow__say', arguments: { end: 'ok' } });
  const busy = { outcome: 'refused', reason: 'busy', credits: 0 };
  let newest: Awaited<ReturnType<typeof logged>> = [];
  // repeated if the machine is so slow that a call is refused (2 s) before its client can disconnect
  while (newest.length < 10 && newest[0]?.outcome !== 'cancelled') {
    const tries = newest.length + 1;
    admit.mockClear();
    const client = new AbortController();
    const waiting = fetch(`${app.publicUrl}/mcp`, { ...request, body, signal: client.signal }).catch(() => undefined);
    await waitUntil('it waits for the slot', () => admit.mock.calls.length > 0);
    client.abort();
    await waiting;
    await waitUntil('it is in the log', async () => (newest = await logged()).length === tries);
  }
  expect(newest.shift()).toEqual({ outcome: 'cancelled', reason: 'not_dispatched', credits: 0 });
  for (const refused of newest) expect(refused).toEqual(busy);
  const { rows } = await app.db.query('select from credit_free_aborts where user_id = $1', [userId]);
  expect(rows).toEqual([]);
});

test('my_balance says what calls may spend, what expires when, the monthly cap and where to get more, and is free', async () => {
  const expiresAt = new Date(Date.now() + 86_400_000);
  const plan = { userId, livemode: false, credits: 7, source: 'plan' as const, idem: randomUUID(), expiresAt };
  await app.db.transaction((query) => grantCredits(query, plan));
  await app.billing.ledger.setMonthlyCap(userId, 50);
  await call('paid__say', 'ok');
  // what the broker had leased for further calls is returned
  await waitUntil('no credits are held', async () => (await account()).held === 0);
  const answer = await call('my_balance', '');
  expect(answer).toMatchObject({
    structuredContent: {
      balance: 102,
      available: 102,
      held: 0,
      parts: [
        { source: 'plan', credits: 2, expiresAt: expiresAt.toISOString() },
        { source: 'purchased', credits: given, expiresAt: null },
      ],
      month: {
        cap: 50,
        spent: price,
        endsAt: expect.stringMatching(/-01T00:00:00.000Z$/),
        changeCapAt: `${app.publicUrl}/dashboard?tab=billing`,
      },
      topUpAt: `${app.publicUrl}/plans`,
    },
  });
  const { content, structuredContent } = answer;
  expect(content).toEqual([{ type: 'text', text: JSON.stringify(structuredContent) }]);
  expect((await logged())[0]).toEqual({ outcome: 'ok', reason: null, credits: 0 });
});
