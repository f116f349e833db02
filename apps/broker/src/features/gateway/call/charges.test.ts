import { afterAll, afterEach, beforeAll, beforeEach, expect, test, vi } from 'vitest';
import type { Charges, Hold, PricedCall, Refusal, UsageRow } from '#features/billing/index.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

// The gateway with a fake Charges that records every hold, settle and release in order, on the fast path and through the
// SDK.

const price = 3;
const noted: string[] = [];
const held: PricedCall[] = [];
const rows: UsageRow[] = [];
let refusal: Refusal | Error | undefined;
let isDurable = (): Promise<void> => Promise.resolve();

const charges: Charges = {
  hold(call) {
    held.push(call);
    noted.push('hold');
    if (refusal instanceof Error) return Promise.reject(refusal);
    const hold: Hold | Refusal = refusal ?? {
      kind: 'hold',
      credits: call.credits,
      available: call.credits === 0 ? undefined : 100 - call.credits,
      isLost: false,
      settle(row) {
        noted.push('settle');
        rows.push(row);
      },
      settleAbort: (row) => void rows.push(row),
      release: (reason) => void noted.push(`release ${reason}`),
    };
    return isDurable().then(() => hold);
  },
  record: (row) => void rows.push(row),
};

let app: TestApp;
let server: EndingServer;
let token: string;
/** Time at which the broker's clock is stopped while it is set: open circuits stay open. */
let stoppedAtMs: number | undefined;

beforeAll(async () => {
  server = await startEndingServer('modern');
  app = await startTestApp({
    allowAddresses: [server.address],
    env: { ...withoutHealthChecks, MCP_CALLS_PER_MINUTE_TOKEN: '10000', MCP_CALLS_PER_MINUTE_USER: '10000' },
    billing: {
      charges,
      entitlement:
        () =>
        ({ id }) =>
          id !== 'closed',
    },
    clock: { now: () => stoppedAtMs ?? Date.now() },
  });
  const billing = { tier: 'T0', toolCosts: { say: price, mirrored: price } };
  const connection = { type: 'http', url: server.url };
  await deployManifest(app, { id: 'paid', connection, billing });
  // for calls that hang: no other call has to be answered within its deadline
  await deployManifest(app, { id: 'hanging', connection, billing, deadlines: { connectMs: 30_000, callMs: 500 } });
  await deployManifest(app, { id: 'closed', connection, billing });
  await deployManifest(app, { id: 'narrow', connection, billing, maxInFlight: 1, deadlines: { callMs: 300_000 } });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
});
beforeEach(() => {
  // failures of another test open no circuit here
  for (const id of ['paid', 'hanging']) app.upstreams.pool.retryNow(id);
  for (const list of [noted, held, rows]) list.length = 0;
  refusal = undefined;
  isDurable = () => Promise.resolve();
});
afterEach(() => {
  stoppedAtMs = undefined;
  vi.restoreAllMocks();
});

/** A tool for the fast path on both sides, and one for the SDK on both sides. */
const tools = ['say', 'mirrored'] as const;
const call = (end: string, tool: string, id = 'paid') =>
  postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name: `${id}__${tool}`, arguments: { end } });

test.each(tools)(
  "a result settles the hold of the tool's price once, and its usage row has the credits: %s",
  async (tool) => {
    const answer = await call('ok', tool);
    expect(answer.body.result).toMatchObject({ content: [{ text: 'done' }] });
    expect(noted).toEqual(['hold', 'settle']);
    expect(held).toEqual([
      { callId: rows[0]?.callId, userId: rows[0]?.userId, serverId: 'paid', tool, credits: price, isContinued: false },
    ]);
    expect(rows).toMatchObject([{ outcome: 'ok', credits: price }]);
  },
);

test.each(
  tools.flatMap((tool) =>
    ['tool_error', 'protocol_error', 'hang', 'reset', 'input_required'].map((end) => ({ tool, end })),
  ),
)(
  '[CAT-21] a call is charged only when it succeeds: $end of $tool releases the hold, and the usage row has 0 credits',
  async ({ tool, end }) => {
    await call(end, tool, end === 'hang' ? 'hanging' : 'paid');
    const reasons: Record<string, string> = { hang: 'timeout', reset: 'upstream_unavailable' };
    expect(noted).toEqual(['hold', `release ${reasons[end] ?? end}`]);
    expect(rows).toMatchObject([{ credits: 0 }]);
  },
);

test.each(tools)('[CAT-20] a call of a tool that costs credits needs both access and credits: %s', async (tool) => {
  const asked = server.requests;
  const refused = await call('ok', tool, 'closed');
  expect(refused.body.result).toMatchObject({ isError: true, _meta: { 'souk/code': 'not_included' } });
  expect([held.length, server.requests]).toEqual([0, asked]);

  rows.length = 0;
  const facts = { required: 3, available: 2, topUpUrl: 'https://souk.test/plans' };
  refusal = { kind: 'refusal', code: 'insufficient_credits', text: 'Not enough credits.', facts };
  const before = server.requests;
  const { result } = (await call('ok', tool)).body;
  expect(result).toMatchObject({
    isError: true,
    content: [{ text: 'Not enough credits.' }],
    _meta: {
      'souk/code': 'insufficient_credits',
      'souk/required': 3,
      'souk/available': 2,
      'souk/topUpUrl': 'https://souk.test/plans',
    },
  });
  expect(server.requests).toBe(before);
  expect(rows).toMatchObject([{ outcome: 'refused', reason: 'insufficient_credits', credits: 0 }]);
  // the call has left its slot
  expect(app.upstreams.pool.inFlight('paid')).toBe(0);
});

test.each([
  ...tools.map((tool) => ['tools/call', { name: tool, arguments: { end: 'forged' } }] as const),
  ...tools.map((tool) => ['tools/call', { name: tool, arguments: { end: 'forged_question' } }] as const),
  ['prompts/get', { name: 'say', arguments: { end: 'forged' } }],
  ['resources/read', { uri: 'end://forged' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'say' }, argument: { name: 'end', value: 'forged' } }],
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
] as const)("a server's `_meta` is forwarded except for the keys that are ours: %s %j", async (method, params) => {
  const { body } = await postModern(`${app.publicUrl}/s/paid/mcp`, token, method, params);
  expect(body.error).toBeUndefined();
  const text = JSON.stringify(body.result);
  expect(text).toContain('"theirs":"kept"');
  expect(text).not.toContain('canary-forged');
});

test.each(tools)(
  'on a full disk a call that costs credits is refused, and the broker stays ready: %s',
  async (tool) => {
    // PostgreSQL's own error, from the database of the app
    const full = await app.db
      .query(`do $$ begin raise exception 'could not extend file: No space left' using errcode = '53100'; end $$`)
      .catch((error: unknown) => error);
    refusal = full instanceof Error ? full : undefined;
    const before = server.requests;
    const { result } = (await call('ok', tool)).body;
    expect(result).toMatchObject({ isError: true, _meta: { 'souk/code': 'charging_unavailable' } });
    expect(JSON.stringify(result)).toContain('cannot be charged right now, so it was not sent');
    expect(JSON.stringify(result)).not.toContain('No space left');
    expect(server.requests).toBe(before);
    expect(rows).toMatchObject([{ outcome: 'refused', reason: 'charging_unavailable', credits: 0 }]);
    expect((await fetch(`${app.publicUrl}/readyz`)).status).toBe(200);
    expect(app.upstreams.pool.inFlight('paid')).toBe(0);
  },
);

test('a refused hold does not count for the health of a server: in a half-open circuit the next call can probe', async () => {
  stoppedAtMs = Date.now();
  for (let count = 0; count < 5; count++) await call('reset', 'say');
  await call('ok', 'say');
  expect(rows.at(-1)).toMatchObject({ outcome: 'refused', reason: 'upstream_unavailable' });
  app.upstreams.pool.retryNow('paid');
  refusal = { kind: 'refusal', code: 'insufficient_credits', text: 'Not enough credits.' };
  expect((await call('ok', 'say')).body.result).toMatchObject({ _meta: { 'souk/code': 'insufficient_credits' } });
  refusal = undefined;
  expect((await call('ok', 'say')).body.result).toMatchObject({ content: [{ text: 'done' }] });
});

test('a busy server causes no hold: admission comes first', async () => {
  const admit = vi.spyOn(app.upstreams.pool, 'admit');
  await waitUntil('earlier hanging calls have ended', () => server.hanging === 0);
  const first = call('hang', 'say', 'narrow');
  await waitUntil('the slot is in use', () => server.hanging === 1);
  expect(held).toHaveLength(1);
  const second = call('ok', 'say', 'narrow');
  await waitUntil('it waits', () => admit.mock.calls.length === 1);
  expect((await second).body.result).toMatchObject({ _meta: { 'souk/code': 'busy' } });
  expect(held).toHaveLength(1);
  server.answerHanging();
  await first;
});

test('the hold is durable before anything is sent', async () => {
  const durable = Promise.withResolvers<void>();
  isDurable = () => durable.promise;
  const before = server.requests;
  const sent = call('ok', 'say');
  await waitUntil('the hold to be requested', () => held.length === 1);
  expect(server.requests).toBe(before);
  durable.resolve();
  expect((await sent).body.result).toMatchObject({ content: [{ text: 'done' }] });
});

test('call_tool charges the tool that it calls, once', async () => {
  const given = { name: 'paid__say', arguments: { end: 'ok' } };
  await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', { name: 'call_tool', arguments: given });
  expect(noted).toEqual(['hold', 'settle']);
  expect(rows).toMatchObject([{ serverId: 'paid', name: 'say', credits: price }]);
});

test('the hold of a later round has the id and the price of the first', async () => {
  const name = 'dearer__say';
  const connection = { type: 'http', url: server.url };
  const deploy = (version: string, credits: number) =>
    deployManifest(app, { id: 'dearer', version, connection, billing: { tier: 'T0', toolCosts: { say: credits } } });
  await deploy('1.0.0', price);
  const first = await call('input_required', 'say', 'dearer');
  const [hold] = held;
  const { requestState } = first.body.result ?? {};
  expect(requestState).toEqual(expect.any(String));
  // the price changes in between
  await deploy('1.1.0', price + 4);
  await waitUntil(
    'the new price',
    () => app.catalogue.snapshot().toolsByExposedName.get(name)?.creditCost === price + 4,
  );
  const params = { name, arguments: { end: 'input_required' }, requestState, inputResponses: {} };
  await postModern(`${app.publicUrl}/mcp`, token, 'tools/call', params);
  expect(held).toEqual([hold, { ...hold, isContinued: true }]);
  expect(noted).toEqual(['hold', 'release input_required', 'hold', 'settle']);
  expect(rows.map(({ callId, outcome, credits, rounds }) => ({ callId, outcome, credits, rounds }))).toEqual([
    { callId: hold?.callId, outcome: 'refused', credits: 0, rounds: undefined },
    { callId: hold?.callId, outcome: 'ok', credits: price, rounds: 2 },
  ]);
  expect(rows[1]?.atMs, 'the second one overwrites the row of the first').toBe(rows[0]?.atMs);
});
