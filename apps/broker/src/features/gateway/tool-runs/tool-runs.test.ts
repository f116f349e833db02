import { randomUUID } from 'node:crypto';
import type { RunEvent } from '@souk/contract/tool-runs.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from '../call/testing/ending-server.ts';
import { asPerson, startRun } from './testing/start-run.ts';
import { startTellingServer, type TellingServer } from '../testing/telling-server.ts';

// Tools that are run from the web app, with its token, at real servers.

const price = 5;
let app: TestApp;
let telling: Record<'legacy' | 'modern', TellingServer>;
let ending: EndingServer;
let ann: Person;
let bob: Person;

type Person = { token: string; userId: string; email: string };

beforeAll(async () => {
  telling = { legacy: await startTellingServer('legacy'), modern: await startTellingServer('modern') };
  ending = await startEndingServer('modern');
  app = await startTestApp({
    allowAddresses: [telling.legacy.address, telling.modern.address, ending.address],
    env: { ...withoutHealthChecks, MCP_CALLS_PER_MINUTE_TOKEN: '10000', MCP_CALLS_PER_MINUTE_USER: '10000' },
  });
  for (const [id, { url }] of Object.entries(telling)) {
    await deployManifest(app, { id, connection: { type: 'http', url } });
  }
  const paid = { tier: 'T0', toolCosts: { say: price } };
  await deployManifest(app, { id: 'paid', connection: { type: 'http', url: ending.url }, billing: paid });
  await deployManifest(app, { id: 'pro', connection: { type: 'http', url: ending.url }, billing: { tier: 'T2' } });
  ann = await signIn('ann@souk.test');
  bob = await signIn('bob@souk.test');
});
afterAll(async () => {
  await app?.stop();
  await Promise.all([telling?.legacy.close(), telling?.modern.close(), ending?.close()]);
});

async function signIn(email: string): Promise<Person> {
  const { accessToken: token } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  const profile = await fetch(`${app.publicUrl}/v2/user/profile`, { headers: { authorization: `Bearer ${token}` } });
  const { id }: { id: string } = JSON.parse(await profile.text());
  return { token, userId: id, email };
}

/** Starts a run, with access to its entry in the log of calls. */
async function run({ token, userId }: Person, ...wanted: [string, string, Record<string, unknown>?]) {
  const running = await startRun({ token, publicUrl: app.publicUrl }, ...wanted);
  return {
    ...running,
    row: async () => (await usageRows(app, userId)).filter((row) => row.callId === running.callId),
  };
}

const textOf = ({ content }: Extract<RunEvent, { type: 'result' }>) => JSON.stringify(content);

describe.each(['legacy', 'modern'] as const)('a server of the %s era', (era) => {
  test('answers a run, which is logged like any other call, with the website as its client', async () => {
    const running = await run(ann, era, 'echo', { text: 'hello' });
    expect(await running.until('result')).toEqual({
      type: 'result',
      isError: false,
      content: [{ type: 'text', text: 'hello' }],
      durationMs: expect.any(Number),
      facts: {},
    });
    await running.ended;
    expect(running.headers.get('content-type')).toBe('text/event-stream');
    expect(running.headers.get('x-content-type-options')).toBe('nosniff');
    expect(await running.row()).toMatchObject([{ serverId: era, name: 'echo', outcome: 'ok', credits: 0, rounds: 1 }]);
    const calls = await fetch(`${app.publicUrl}/api/users/${ann.userId}/calls`, asPerson(ann, 'GET'));
    expect(JSON.parse(await calls.text())).toMatchObject({
      calls: expect.arrayContaining([
        expect.objectContaining({ id: running.callId, client: { kind: 'web', name: 'This website' } }),
      ]),
    });
  });

  test('reports its progress while it runs', async () => {
    const running = await run(ann, era, 'report', { text: 'half' });
    await running.until('result');
    expect(running.events()).toContainEqual({ type: 'progress', progress: 1, message: 'half-progress' });
  });

  test('asks the user, and continues with the answer: one call of two rounds', async () => {
    const running = await run(ann, era, 'ask', { text: 'who' });
    const { question } = await running.until('question');
    expect(question).toMatchObject({
      mode: 'form',
      message: 'who-question',
      schema: { properties: { name: { type: 'string' } } },
    });
    const accept = { id: question.id, action: 'accept', content: { name: 'Ann' } };
    expect((await running.answer(accept, bob)).status).toBe(404);
    expect((await running.answer({ ...accept, id: 'another' })).status).toBe(404);
    expect((await running.answer({ ...accept, content: { name: { deep: true } } })).status).toBe(400);
    // a question is answered once
    const [first, second] = await Promise.all([running.answer(accept), running.answer(accept)]);
    expect([first.status, second.status].sort()).toEqual([200, 404]);
    expect(textOf(await running.until('result'))).toContain('Ann');
    await running.ended;
    expect(await running.row()).toMatchObject([{ outcome: 'ok', rounds: 2 }]);
  });

  test('may be answered with a refusal', async () => {
    const running = await run(ann, era, 'ask', { text: 'who' });
    const { question } = await running.until('question');
    await running.answer({ id: question.id, action: 'decline', content: { name: 'dropped' } });
    const text = textOf(await running.until('result'));
    expect(text).toContain('decline');
    expect(text).not.toContain('dropped');
  });

  test('may ask to open a web page, and nothing else', async () => {
    const running = await run(ann, era, 'page', { text: 'terms' });
    const { question } = await running.until('question');
    expect(question).toMatchObject({ mode: 'page', message: 'Please look', url: 'https://pages.test/terms' });
    await running.cancel();
    await running.ended;
    const hostile = await run(ann, era, 'page', { text: 'javascript:alert(1)' });
    expect(await hostile.until('result')).toMatchObject({ isError: true });
    expect(JSON.stringify(hostile.events())).not.toContain('javascript');
  });

  /** Starts a run of a call that waits. */
  async function waiting() {
    const text = randomUUID();
    const running = await run(ann, era, 'wait', { text });
    await waitUntil('the call to wait', () => telling[era].waiting.has(text));
    const isHeard = async () => {
      await waitUntil('the server to be notified', () => telling[era].cancelled.includes(text));
      await waitUntil('the row', async () => (await running.row()).length === 1);
      await waitUntil('the run to be over', async () => (await running.cancel()).status === 404);
      return running.row();
    };
    return { running, isHeard };
  }

  test('is notified when the user cancels, and another user cannot cancel', async () => {
    const { running, isHeard } = await waiting();
    expect((await running.cancel(bob)).status).toBe(404);
    expect((await running.cancel()).status).toBe(200);
    expect(await running.until('result')).toMatchObject({ isError: true, facts: { code: 'cancelled' } });
    expect(await isHeard()).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('is notified when the user leaves', async () => {
    const { running, isHeard } = await waiting();
    running.hangUp();
    expect(await isHeard()).toMatchObject([{ outcome: 'cancelled' }]);
  });

  test('a question that is open when the user cancels is withdrawn', async () => {
    const running = await run(ann, era, 'ask', { text: 'who' });
    const { question } = await running.until('question');
    await running.cancel();
    await running.ended;
    expect(running.events()).toContainEqual({ type: 'withdrawn', id: question.id });
    expect(running.events().at(-1)).toMatchObject(
      era === 'legacy' ? { facts: { code: 'cancelled' } } : { type: 'failed', message: 'The call was canceled.' },
    );
  });
});

test('a tool with a price is charged like any other call, and the end of the run says what it cost', async () => {
  const cara = await signIn('cara@souk.test');
  await giveCredits(app, cara.email, 7);
  const running = await run(cara, 'paid', 'say', { end: 'ok' });
  expect(await running.until('result')).toMatchObject({ isError: false, facts: { charged: price, available: 2 } });
  await running.ended;
  await app.billing.ledger.flush();
  expect(await running.row()).toMatchObject([{ outcome: 'ok', credits: price }]);
  expect(await app.billing.ledger.account(cara.userId)).toMatchObject({ balance: 2, held: 0 });
  // the rest is too little for another call
  const before = ending.requests;
  const refused = await run(cara, 'paid', 'say', { end: 'ok' });
  expect(await refused.until('result')).toMatchObject({
    isError: true,
    facts: { code: 'insufficient_credits', required: price, available: 2, topUpUrl: `${app.publicUrl}/plans` },
  });
  expect(ending.requests).toBe(before);
});

test('a service that the user has no access to is not contacted', async () => {
  const before = ending.requests;
  const running = await run(ann, 'pro', 'say', { end: 'ok' });
  expect(await running.until('result')).toMatchObject({ isError: true, facts: { code: 'not_included' } });
  expect(ending.requests).toBe(before);
});

test("an unknown tool and the server's own error have no result", async () => {
  const unknown = await run(ann, 'legacy', 'nothing');
  expect(await unknown.until('failed')).toEqual({ type: 'failed', message: 'Unknown tool: nothing' });
  await giveCredits(app, ann.email, price);
  const failing = await run(ann, 'paid', 'say', { end: 'protocol_error' });
  expect(await failing.until('failed')).toEqual({ type: 'failed', message: 'not today' });
});

test('a server that keeps asking questions is stopped', async () => {
  const dora = await signIn('dora@souk.test');
  const running = await run(dora, 'modern', 'page', { text: 'again' });
  const answered = new Set<string>();
  const next = () =>
    running
      .events()
      .flatMap((event) => (event.type === 'question' ? [event.question] : []))
      .find(({ id }) => !answered.has(id));
  for (let asked = 0; asked < 15; asked++) {
    await waitUntil('the next question', () => next() !== undefined);
    const { id } = next() ?? { id: '' };
    answered.add(id);
    await running.answer({ id, action: 'accept' });
  }
  expect(await running.until('failed')).toMatchObject({ message: 'The tool asked more than 16 times' });
});

test('a user runs four tools concurrently, independent of other users', async () => {
  const emil = await signIn('emil@souk.test');
  const texts = [1, 2, 3, 4].map(() => randomUUID());
  const runs = await Promise.all(texts.map((text) => run(emil, 'modern', 'wait', { text })));
  const body = { serverId: 'modern', tool: 'echo' };
  const fifth = await fetch(`${app.publicUrl}/api/tool-runs`, asPerson(emil, 'POST', body));
  expect([fifth.status, JSON.parse(await fifth.text())]).toEqual([
    429,
    {
      success: false,
      code: 'too_many_runs',
      message: 'You can run 4 tools at once. Wait until one has ended, or cancel it.',
    },
  ]);
  await (await run(bob, 'modern', 'echo', { text: 'mine' })).until('result');
  await Promise.all(runs.map(async (one) => (await one.cancel(), one.ended)));
  await (await run(emil, 'modern', 'echo', { text: 'again' })).until('result');
});

test('signing out ends running tools', async () => {
  const browser = new ScriptedBrowser(app.publicUrl);
  const { accessToken: token } = await browser.signInWeb({ email: 'finn@souk.test' });
  const text = randomUUID();
  const running = await run({ token, userId: '', email: '' }, 'modern', 'wait', { text });
  await waitUntil('the call to wait', () => telling.modern.waiting.has(text));
  await fetch(`${app.publicUrl}/auth/sign-out-everywhere`, asPerson({ token }, 'POST'));
  expect(await running.until('result')).toMatchObject({ facts: { code: 'cancelled' } });
  await running.ended;
  // the end of the run is sent first
  await expect.poll(() => telling.modern.cancelled).toContain(text);
});

test('arguments have the limits of every request', async () => {
  const send = async (text: string) => {
    const answer = await fetch(`${app.publicUrl}/api/tool-runs`, { ...asPerson(ann, 'POST', {}), body: text });
    const { code }: { code: string } = JSON.parse(await answer.text());
    return [answer.status, code];
  };
  const body = (given: string) => `{"serverId":"modern","tool":"echo","arguments":${given}}`;
  expect(await send(body(`{"text":"${'x'.repeat(256 * 1024)}"}`))).toEqual([413, 'payload_too_large']);
  expect(await send(body(`{"text":${'['.repeat(65)}${']'.repeat(65)}}`))).toEqual([400, 'too_deep']);
  expect(await send(body('[]'))).toEqual([400, 'invalid_request']);
});
