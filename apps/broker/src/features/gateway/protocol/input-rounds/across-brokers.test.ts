import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { hasPostgres } from '#testing/databases/databases.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { asPerson, startRun } from '../../tool-runs/testing/start-run.ts';
import { useTwoBrokers, type Round, type TwoBrokers } from './testing/two-brokers.ts';

const refused = { code: -32602, message: 'Invalid or expired requestState' };

describe.skipIf(!hasPostgres())('the rounds of a call on two brokers (PostgreSQL)', () => {
  let two: TwoBrokers;
  /** Time at which the brokers' clock is stopped while it is set: no limit refills. */
  let stoppedAtMs: number | undefined;
  useTwoBrokers((started) => (two = started), { clock: { now: () => stoppedAtMs ?? Date.now() } });
  afterEach(() => {
    stoppedAtMs = undefined;
  });

  const isQuestion = { resultType: 'input_required' };
  const textOf = ({ result }: Round) => JSON.stringify(result?.['content']);

  test('an answer that reaches the other broker continues the call, and the result is returned there', async () => {
    const first = await two.round(0);
    expect(first.result).toMatchObject(isQuestion);
    const second = await two.round(1, {}, first);
    expect(textOf(second)).toContain('Zoe');
    expect(await two.calls()).toMatchObject([{ outcome: 'ok', rounds: 2 }]);
    expect(await two.messages()).toEqual([]);
  });

  test('a declined question, and two sequential questions on alternating brokers', async () => {
    const declined = await two.round(0, {}, await two.round(1), { action: 'decline' });
    expect(textOf(declined)).toContain('decline');
    const given = { times: 2 };
    const second = await two.round(0, { given }, await two.round(1, { given }));
    expect(second.result).toMatchObject(isQuestion);
    expect(textOf(await two.round(1, { given }, second))).toContain('Zoe');
    const other = await two.round(0, { given }, await two.round(1, { given }));
    // the call waits where it began, also if the other broker forwarded the last answer
    expect(textOf(await two.round(0, { given }, other))).toContain('Zoe');
    expect((await two.calls()).map(({ outcome, rounds }) => `${outcome} ${rounds}`)).toEqual(['ok 2', 'ok 3', 'ok 3']);
  });

  test('an answer that reaches the broker of its call needs no statement', async () => {
    const before = two.statements();
    expect(textOf(await two.round(0, {}, await two.round(0)))).toContain('Zoe');
    expect(two.statements()).toBe(before);
    await two.round(1, {}, await two.round(0));
    expect(two.statements()).toBeGreaterThan(before);
  });

  test("prompts work too, and a server's error is forwarded unchanged", async () => {
    const options = { method: 'prompts/get', name: 'asking__asking' };
    const prompt = await two.round(1, options, await two.round(0, options));
    expect(JSON.stringify(prompt.result)).toContain('Zoe');
    const given = { fail: true };
    const failed = await two.round(1, { given }, await two.round(0, { given }));
    expect(failed.error).toEqual({ code: -32_050, message: 'not today', data: { why: 42 } });
  });

  test('a result that is too large for a notice arrives whole, and leaves nothing behind', async () => {
    const given = { bytes: 100_000 };
    const { result } = await two.round(1, { given }, await two.round(0, { given }));
    expect(result?.['content']).toMatchObject([{}, { text: 'x'.repeat(100_000) }]);
    expect(await two.messages()).toEqual([]);
  });

  test('progress and log messages reach the client at the other broker', async () => {
    const given = { steps: 2, log: 'nearly done', wait: true };
    const heard: unknown[] = [];
    const second = two.round(1, { given, heard }, await two.round(0, { given }));
    await waitUntil('the newest progress', () => heard.includes(2));
    await waitUntil('the log lines', () => heard.includes('nearly done'));
    two.asking.release();
    expect(textOf(await second)).toContain('Zoe');
  });

  test('a client that disconnects from the other broker cancels the call', async () => {
    const given = { wait: true };
    const first = await two.round(0, { given });
    const before = two.asking.cancelled();
    const stop = new AbortController();
    const second = two.round(1, { given, signal: stop.signal }, first);
    await waitUntil('the call to continue', () => two.asking.waiting() === 1);
    stop.abort();
    await expect(second).rejects.toThrow(/abort/i);
    await waitUntil('the call to be canceled', () => two.asking.cancelled() === before + 1);
    await waitUntil('its row', async () => (await two.calls()).length === 1);
    expect(await two.calls()).toMatchObject([{ outcome: 'cancelled' }]);
    await waitUntil('nothing to be left behind', async () => (await two.messages()).length === 0);
  });

  test('a state can be used once, across all brokers', async () => {
    const given = { wait: true };
    const first = await two.round(0, { given });
    const second = two.round(1, { given }, first);
    await waitUntil('the call to continue', () => two.asking.waiting() === 1);
    for (const broker of [0, 1]) expect((await two.round(broker, { given }, first)).error).toMatchObject(refused);
    two.asking.release();
    expect(textOf(await second)).toContain('Zoe');
    for (const broker of [0, 1]) expect((await two.round(broker, { given }, first)).error).toMatchObject(refused);
    expect(await two.calls()).toMatchObject([{ outcome: 'ok', rounds: 2 }]);
    expect(await two.messages()).toEqual([]);
  });

  test('another user’s answer, and one with other arguments, are refused before anything is forwarded', async () => {
    const first = await two.round(0);
    const before = two.statements();
    expect((await two.round(1, { token: two.bob }, first)).error).toMatchObject(refused);
    expect((await two.round(1, { given: { times: 2 } }, first)).error).toMatchObject(refused);
    expect(two.statements()).toBe(before);
    expect(textOf(await two.round(1, {}, first))).toContain('Zoe');
  });

  test('the limit of a user’s waiting calls is the same as on one broker', async () => {
    const open: Round[] = [];
    for (let n = 0; n < 8; n++) open.push(await two.round(0));
    expect((await two.round(0)).error).toMatchObject({ message: 'Too many calls are already waiting for an answer' });
    for (const one of open) expect(textOf(await two.round(1, {}, one))).toContain('Zoe');
  });

  test('at most 600 answers a minute of one token are forwarded to other brokers', async () => {
    const tokenOf = async (email: string) =>
      (await two.replicas.apps[0].identity.createPersonalToken({ email, name: 'test' })).token;
    const options = { token: await tokenOf('carl@souk.test') };
    stoppedAtMs = Date.now();
    const first = await two.round(0, options);
    expect(textOf(await two.round(1, options, first))).toContain('Zoe');
    // a used state is forwarded to the broker of its call, which refuses it
    let passedOn = 1;
    let isLimited = false;
    while (!isLimited && passedOn <= 600) {
      const again = await Promise.all(Array.from({ length: 10 }, () => two.round(1, options, first)));
      const texts = again.map(({ error }) => error?.message ?? '');
      const unusable = texts.filter((text) => text === refused.message).length;
      const limited = texts.filter((text) => text.startsWith('Too many answers were sent in the last minute')).length;
      expect(unusable + limited, texts.join(', ')).toBe(again.length);
      passedOn += unusable;
      isLimited = limited > 0;
    }
    expect([passedOn, isLimited]).toEqual([600, true]);
    const other = { token: await tokenOf('dora@souk.test') };
    expect(textOf(await two.round(1, other, await two.round(0, other)))).toContain('Zoe');
  });

  describe('of a server of 2026-07-28, whose own state the client carries', () => {
    const name = 'modern__test_input_required_result_request_state';

    test('run at any broker, and leave one row', async () => {
      for (const [one, other] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const first = await two.round(one, { name });
        expect(first.result).toMatchObject(isQuestion);
        expect(textOf(await two.round(other, { name }, first, { action: 'accept', content: { ok: true } }))).toContain(
          'state-ok',
        );
        expect(await two.calls()).toMatchObject([{ outcome: 'ok', rounds: 2 }]);
        await two.db.query('delete from usage_events');
      }
      expect(await two.messages()).toEqual([]);
    });
  });

  describe('of a tool that is run from the web app', () => {
    const at = (broker: number, { token }: WebTokens) => ({ token, headers: two.replicas.at(broker) });
    type WebTokens = { token: string };
    let ann: WebTokens;
    let bob: WebTokens;
    beforeAll(async () => {
      const signIn = async (email: string) => ({
        token: (await new ScriptedBrowser(two.replicas.publicUrl).signInWeb({ email })).accessToken,
      });
      ann = await signIn('ann@souk.test');
      bob = await signIn('bob@souk.test');
    });
    const start = async (given: Record<string, unknown> = {}) => {
      const sender = { ...at(0, ann), publicUrl: two.replicas.publicUrl };
      return startRun(sender, 'asking', 'ask', given);
    };
    const accept = { action: 'accept', content: { name: 'Zoe' } };

    test('an answer at the other broker continues the run, once and for its own user only', async () => {
      const running = await start();
      const { id } = (await running.until('question')).question;
      const before = two.statements();
      expect((await running.answer({ id: 'another', ...accept })).status).toBe(404);
      expect(two.statements()).toBe(before);
      expect((await running.answer({ id, ...accept }, at(1, bob))).status).toBe(404);
      expect((await running.answer({ id: 'another', ...accept }, at(1, ann))).status).toBe(404);
      expect((await running.answer({ id, ...accept }, at(1, ann))).status).toBe(200);
      expect(JSON.stringify(await running.until('result'))).toContain('Zoe');
      await running.ended;
      expect(await two.messages()).toEqual([]);
      expect(await two.calls()).toMatchObject([{ outcome: 'ok', rounds: 2 }]);
    });

    test('a cancellation at the other broker ends the run, for its own user only', async () => {
      const running = await start({ times: 0, wait: true });
      await waitUntil('the call to wait', () => two.asking.waiting() === 1);
      expect((await running.cancel(at(1, bob))).status).toBe(404);
      expect(two.asking.waiting()).toBe(1);
      expect((await running.cancel(at(1, ann))).status).toBe(200);
      expect(await running.until('result')).toMatchObject({ isError: true, facts: { code: 'cancelled' } });
      await running.ended;
      expect(await two.messages()).toEqual([]);
    });

    test('few messages to unknown runs wait at a time', async () => {
      const cancel = () => fetch(`${two.replicas.publicUrl}/api/tool-runs/${randomUUID()}`, asPerson(ann, 'DELETE'));
      const answers = await Promise.all(Array.from({ length: 100 }, async () => (await cancel()).status));
      expect(new Set(answers)).toEqual(new Set([404, 429]));
      expect(await two.messages()).toEqual([]);
    });
  });

  test('the client of SDK 2.x works with alternating brokers', async () => {
    const reached: number[] = [];
    const client = new Client(
      { name: 'in-turn', version: '1.0.0' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: 'accept',
      content: { name: `Zoe to ${params.message}` },
    }));
    const transport = new StreamableHTTPClientTransport(new URL(two.link), {
      requestInit: { headers: { authorization: `Bearer ${two.ann}` } },
      fetch: (url, init) => {
        const broker = reached.length % 2;
        reached.push(broker);
        const headers = new Headers(init?.headers);
        headers.set('x-broker', String(broker));
        return fetch(url, { ...init, headers });
      },
    });
    await client.connect(transport);
    for (const times of [1, 2, 3]) {
      const before = reached.length;
      const { content } = await client.callTool({ name: 'asking__ask', arguments: { times } });
      expect(JSON.stringify(content)).toContain(`Zoe to Question ${times}?`);
      expect(reached.length - before).toBe(times + 1);
    }
    const name = 'modern__test_input_required_result_elicitation';
    expect(JSON.stringify(await client.callTool({ name, arguments: {} }))).toContain('Zoe');
    await client.close();
    expect((await two.calls()).map(({ outcome, rounds }) => `${outcome} ${rounds}`)).toEqual(
      [2, 3, 4, 2].map((rounds) => `ok ${rounds}`),
    );
  });
});
