import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { freePort } from '#testing/network/free-port.ts';
import { giveCredits } from '#testing/people/grant-credits.ts';
import { postModern, postRaw } from '#testing/people/mcp-clients.ts';
import { openSession } from '#testing/people/open-session.ts';
import { openStream, type OpenStream } from '#testing/people/open-stream.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { clearUsageRows, usageRows } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import {
  startAskingServer,
  type AskingServer,
} from '../features/gateway/protocol/input-rounds/testing/asking-server.ts';
import { startTellingServer, type TellingServer } from '../features/gateway/testing/telling-server.ts';
import { startRun } from '../features/gateway/tool-runs/testing/start-run.ts';
import { migrations } from '../migrations.ts';
import { startConformanceFixture, type ConformanceFixture } from '../../../../conformance/fixture.ts';

let old: ConformanceFixture;
let modern: ConformanceFixture;

beforeAll(async () => {
  [old, modern] = await Promise.all([startConformanceFixture('legacy'), startConformanceFixture('modern')]);
});
afterAll(() => Promise.all([old?.close(), modern?.close()]));

async function start(env: NodeJS.ProcessEnv = {}): Promise<{ app: TestApp; token: string; link: string }> {
  const app = await startTestApp({
    allowAddresses: [old.address, modern.address],
    env: { ...withoutHealthChecks, ...env },
  });
  for (const [id, { url }] of Object.entries({ old, modern })) {
    await deployManifest(app, { id, connection: { type: 'http', url } });
  }
  const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  return { app, token, link: `${app.publicUrl}/mcp` };
}

const call = { name: 'modern__test_simple_text', arguments: {} };

test('a stop is visible at /readyz immediately, and new requests are served until its grace period is over', async () => {
  const { app, token, link } = await start({ DRAIN_GRACE_MS: '2000' });
  const stopping = app.stop();
  const readiness = () => fetch(`${app.publicUrl}/readyz`).then(({ status }) => status, String);
  expect(await readiness()).toBe(503);
  const served = await postModern(link, token, 'tools/call', call).catch(String);
  expect(served).toMatchObject({ status: 200, body: { result: { content: [{ type: 'text' }] } } });
  await stopping;
  expect(await readiness()).toContain('fetch failed');
});

/** Sends a round of a call as a client of 2026-07-28 that can answer questions. */
function round(link: string, token: string, name: string, more: object) {
  const _meta = { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } };
  return postModern(link, token, 'tools/call', { name, ...more, _meta });
}

test('an answer that arrives during the grace period of a stop is accepted', async () => {
  const { app, token, link } = await start({ DRAIN_GRACE_MS: '3000' });
  const given = { arguments: { message: 'Who?' } };
  const asked = await round(link, token, 'old__test_elicitation', given);
  const stopping = app.stop();
  const answer = { action: 'accept', content: { username: 'Ann', email: 'ann@souk.test' } };
  const { requestState, inputRequests } = asked.body.result ?? {};
  const inputResponses = Object.fromEntries(Object.keys(Object(inputRequests)).map((key) => [key, answer]));
  const answered = await round(link, token, 'old__test_elicitation', { ...given, requestState, inputResponses });
  expect(JSON.stringify(answered.body.result)).toContain('action: accept');
  await stopping;
});

const again = 'Call the tool again; you will be asked again.';
const stoppedText = `The gateway was restarted while the call waited for an answer, so the question is closed. Nothing was charged. ${again}`;
const stopped = { isError: true, content: [{ type: 'text', text: stoppedText }], _meta: { 'souk/code': 'stopped' } };
const over = 'This question is over: the call that asked it has ended, so the answer was not used. Make the call again';

describe('a stop while calls wait for an answer', () => {
  let asking: AskingServer;
  let telling: TellingServer;
  let db: Database;
  beforeAll(async () => {
    [asking, telling, db] = await Promise.all([
      startAskingServer(),
      startTellingServer('modern'),
      openTestDatabase(migrations),
    ]);
  });
  afterAll(() => Promise.all([asking?.close(), telling?.close(), db?.close()]));

  test('ends them first and uncharged, and says so in words, also to clients that answer later', async () => {
    const env = {
      ...withoutHealthChecks,
      MASTER_KEY: randomBytes(32).toString('base64url'),
      PORT: String(await freePort()),
    };
    const options = {
      env,
      allowAddresses: [asking.address, telling.address],
      // a stop that waited for an answer would not end
      drainMs: 600_000,
      db: { ...db, close: async () => {} },
    };
    const app = await startTestApp(options);
    const link = `${app.publicUrl}/mcp`;
    const deploy = (id: string, { url }: { url: string }, tool: string, credits = 5, version = '1.0.0') =>
      deployManifest(app, {
        id,
        version,
        connection: { type: 'http', url },
        billing: { tier: 'T0', toolCosts: { [tool]: credits } },
      });
    // a separate connection each, since a question is sent to one client only
    for (const id of ['asking', 'parked', 'web']) await deploy(id, asking, 'ask');
    await deploy('modern', telling, 'ask');
    await deploy('raised', telling, 'echo');
    const email = 'ann@souk.test';
    const { token } = await app.identity.createPersonalToken({ email, name: 'test' });
    const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
    const userId = await giveCredits(app, email, 100);
    const session = await openSession(link, token, { capabilities: { elicitation: {} } });
    const send = (message: object) =>
      openStream(link, {
        method: 'POST',
        headers: { ...session, 'content-type': 'application/json', accept: 'application/json, text/event-stream' },
        body: JSON.stringify({ jsonrpc: '2.0', ...message }),
      });
    const call = (id: number, name: string) =>
      send({ id, method: 'tools/call', params: { name, arguments: { text: 'hi' } } });
    await (
      await call(1, 'raised__echo')
    ).ended;
    await deploy('raised', telling, 'echo', 9, '1.0.1');
    await clearUsageRows(app);

    const streams: OpenStream[] = [];
    const questions: unknown[] = [];
    for (const begin of [
      () => call(2, 'asking__ask'),
      () => call(3, 'modern__ask'),
      () => call(4, 'raised__echo'),
      () => send({ id: 5, method: 'prompts/get', params: { name: 'asking__asking' } }),
    ]) {
      const stream = await begin();
      const question = () => stream.messages().find(({ method }) => method === 'elicitation/create');
      await waitUntil('a question', () => question() !== undefined);
      streams.push(stream);
      questions.push(question()?.id);
    }
    const first = await round(link, token, 'parked__ask', { arguments: {} });
    expect(first.body).toMatchObject({ result: { resultType: 'input_required' } });
    const person = { token: accessToken, publicUrl: app.publicUrl };
    const runs = [await startRun(person, 'web', 'ask'), await startRun(person, 'modern', 'ask', { text: 'hi' })];
    for (const run of runs) await run.until('question');

    await app.stop();
    await Promise.all([...streams, ...runs].map(({ ended }) => ended));
    const withdrawn = (at: number) => ({ method: 'notifications/cancelled', params: { requestId: questions[at] } });
    const lastTwo = streams.map((stream) => stream.messages().slice(-2));
    expect(lastTwo.slice(0, 3)).toMatchObject([2, 3, 4].map((id, at) => [withdrawn(at), { id, result: stopped }]));
    const failed = { message: expect.stringContaining('Ask for it again; you will be asked again.') };
    expect(lastTwo[3]).toMatchObject([withdrawn(3), { id: 5, error: failed }]);
    expect(runs[0]?.events().at(-1)).toMatchObject({ type: 'result', isError: true, content: stopped.content });
    expect(runs[1]?.events().at(-1)).toEqual({ type: 'failed', message: stoppedText });

    const next = await startTestApp(options);
    const rows = await usageRows(next, userId);
    const asked = rows.filter(({ serverId }) => ['asking', 'parked', 'web'].includes(String(serverId)));
    const ended = { outcome: 'cancelled', reason: 'stopped', credits: 0 };
    expect(asked).toMatchObject([ended, ended, ended, ended]);
    expect(rows.map(({ credits }) => credits).filter((credits) => credits > 0)).toEqual([]);
    expect(await next.billing.ledger.account(userId)).toMatchObject({ balance: 95, held: 0 });

    const { requestState, inputRequests } = first.body.result ?? {};
    const answer = { action: 'accept', content: { name: 'Zoe' } };
    const inputResponses = Object.fromEntries(Object.keys(Object(inputRequests)).map((key) => [key, answer]));
    const late = await round(link, token, 'parked__ask', { arguments: {}, requestState, inputResponses });
    expect(late.body.result).toMatchObject({
      isError: true,
      content: [{ text: expect.stringContaining(over) }],
      _meta: { 'souk/code': 'question_over' },
    });
    const own = await openStream(link, { headers: { ...session, accept: 'text/event-stream' } });
    const lateOnSession = await postRaw(
      link,
      JSON.stringify({ jsonrpc: '2.0', id: questions[0], result: answer }),
      session,
    );
    expect(lateOnSession.status).toBe(202);
    await waitUntil('the client to be notified', () => own.text().includes(over));
    expect(own.messages().at(-1)).toMatchObject({ method: 'notifications/message', params: { level: 'warning' } });
    own.abort();
    await next.stop();
  });
});
