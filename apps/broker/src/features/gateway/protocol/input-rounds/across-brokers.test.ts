import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { openDatabase } from '#platform/db/open-database.ts';
import type { Database } from '#platform/db/database.ts';
import { createLog } from '#platform/log.ts';
import { createPostgresDatabase, hasPostgres } from '#testing/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { forkBroker } from '#testing/fork-broker.ts';
import type { RpcBody } from '#testing/mcp-clients.ts';
import { modernRequest } from '#testing/modern-request.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { readUsageRows } from '#testing/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startConformanceFixture, type ConformanceFixture } from '../../../../../../../conformance/fixture.ts';
import { migrations } from '../../../../migrations.ts';
import { startAskingServer, type AskingServer } from './testing/asking-server.ts';

const tool = 'asking__ask';
const refused = { code: -32602, message: 'Invalid or expired requestState' };
/** How long a client may wait to hear that the broker of its call is gone. */
const mostSilenceMs = 20_000;

describe.skipIf(!hasPostgres())('the rounds of a call in two brokers (PostgreSQL)', () => {
  let databaseUrl: string;
  let db: Database;
  let replicas: Replicas;
  let asking: AskingServer;
  let modern: ConformanceFixture;
  let ann: string;
  let bob: string;
  const masterKey = randomBytes(32).toString('base64url');
  beforeAll(async () => {
    databaseUrl = await createPostgresDatabase();
    const connect = () => openDatabase({ databaseUrl, dataDir: '', log: createLog('silent'), migrations });
    [db, asking, modern] = await Promise.all([connect(), startAskingServer(), startConformanceFixture('modern')]);
    replicas = await startReplicas(connect, {
      allowAddresses: [asking.address, modern.address],
      env: { ...withoutHealthChecks, MASTER_KEY: masterKey },
    });
    const [first, second] = replicas.apps;
    await deployManifest(first, { id: 'asking', connection: { type: 'http', url: asking.url } });
    await deployManifest(first, { id: 'modern', connection: { type: 'http', url: modern.url } });
    const servers = () => second.catalogue.snapshot().servers;
    await waitUntil(
      'the other broker to know the services',
      () => servers().filter((one) => one.offersHash).length === 2,
    );
    ({ token: ann } = await first.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
    ({ token: bob } = await first.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' }));
  }, 120_000);
  afterAll(async () => {
    await replicas?.stop();
    await db?.close();
    await Promise.all([asking?.close(), modern?.close()]);
  });
  afterEach(async () => {
    asking.release();
    await calls();
    await db.query('delete from usage_events');
  });

  const link = () => `${replicas.publicUrl}/mcp`;
  const messages = async () => (await db.query(`select * from mcp_round_messages`)).rows;
  async function calls() {
    await Promise.all(replicas.apps.map((app) => app.usage.flush()));
    return readUsageRows(db);
  }

  type Round = { result?: Record<string, unknown>; error?: RpcBody['error']; progress: number[] };
  type RoundOptions = {
    method?: string;
    name?: string;
    given?: object;
    token?: string;
    signal?: AbortSignal;
    heard?: number[];
  };

  /** One round at a broker; with `before`, the next one of its call, which answers all its questions with `answer`. */
  async function round(
    broker: number,
    options: RoundOptions = {},
    before?: Round,
    answer: object = { action: 'accept', content: { name: 'Zoe' } },
  ): Promise<Round> {
    const { method = 'tools/call', name = tool, given = {}, token = ann, signal, heard = [] } = options;
    const questions = Object.keys(Object(before?.result?.['inputRequests']));
    const request = modernRequest(token, method, {
      name,
      arguments: given,
      ...(before && {
        requestState: before.result?.['requestState'],
        inputResponses: Object.fromEntries(questions.map((key) => [key, answer])),
      }),
      _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } }, progressToken: 'p' },
    });
    const headers = { ...request.headers, ...replicas.at(broker) };
    const response = await fetch(link(), { ...request, headers, ...(signal && { signal }) });
    let text = '';
    let last: RpcBody = {};
    const read = (line: string) => {
      const message = JSON.parse(line);
      if (message.method === 'notifications/progress') heard.push(message.params.progress);
      else last = message;
    };
    for await (const chunk of response.body ?? []) {
      text += Buffer.from(chunk).toString();
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) if (line.startsWith('data: {')) read(line.slice(6));
    }
    if (text.startsWith('{')) read(text);
    return { ...last, progress: heard };
  }

  const isQuestion = { resultType: 'input_required' };
  const textOf = ({ result }: Round) => JSON.stringify(result?.['content']);

  test('an answer that reaches the other broker continues the call, and its result comes back there', async () => {
    const first = await round(0);
    expect(first.result).toMatchObject(isQuestion);
    const second = await round(1, {}, first);
    expect(textOf(second)).toContain('Zoe');
    expect(await calls()).toMatchObject([{ outcome: 'ok', rounds: 2 }]);
    expect(await messages()).toEqual([]);
  });

  test('a declined question, and two questions in a row at brokers in turn', async () => {
    const declined = await round(0, {}, await round(1), { action: 'decline' });
    expect(textOf(declined)).toContain('decline');
    const given = { times: 2 };
    const second = await round(0, { given }, await round(1, { given }));
    expect(second.result).toMatchObject(isQuestion);
    expect(textOf(await round(1, { given }, second))).toContain('Zoe');
    const other = await round(0, { given }, await round(1, { given }));
    // the call waits where it began, whichever broker passed the last answer on
    expect(textOf(await round(0, { given }, other))).toContain('Zoe');
    expect((await calls()).map(({ outcome, rounds }) => `${outcome} ${rounds}`)).toEqual(['ok 2', 'ok 3', 'ok 3']);
  });

  test('prompts too, and the error of a server comes as it is', async () => {
    const options = { method: 'prompts/get', name: 'asking__asking' };
    const prompt = await round(1, options, await round(0, options));
    expect(JSON.stringify(prompt.result)).toContain('Zoe');
    const given = { fail: true };
    const failed = await round(1, { given }, await round(0, { given }));
    expect(failed.error).toEqual({ code: -32_050, message: 'not today', data: { why: 42 } });
  });

  test('a result of 3 MB comes whole, and leaves nothing behind', async () => {
    const given = { bytes: 3_000_000 };
    const { result } = await round(1, { given }, await round(0, { given }));
    expect(result?.['content']).toMatchObject([{}, { text: 'x'.repeat(3_000_000) }]);
    expect(await messages()).toEqual([]);
  });

  test('progress reaches the client at the other broker', async () => {
    const given = { steps: 2, wait: true };
    const heard: number[] = [];
    const second = round(1, { given, heard }, await round(0, { given }));
    await waitUntil('the newest progress', () => heard.includes(2));
    asking.release();
    expect(textOf(await second)).toContain('Zoe');
  });

  test('a client that hangs up at the other broker cancels the call', async () => {
    const given = { wait: true };
    const first = await round(0, { given });
    const before = asking.cancelled();
    const stop = new AbortController();
    const second = round(1, { given, signal: stop.signal }, first);
    await waitUntil('the call to go on', () => asking.waiting() === 1);
    stop.abort();
    await expect(second).rejects.toThrow(/abort/i);
    await waitUntil('the call to be cancelled', () => asking.cancelled() === before + 1);
    await waitUntil('its row', async () => (await calls()).length === 1);
    expect(await calls()).toMatchObject([{ outcome: 'cancelled' }]);
    await waitUntil('nothing to be left behind', async () => (await messages()).length === 0);
  });

  test('a state is used once, in whichever brokers', async () => {
    const given = { wait: true };
    const first = await round(0, { given });
    const second = round(1, { given }, first);
    await waitUntil('the call to go on', () => asking.waiting() === 1);
    for (const broker of [0, 1]) expect((await round(broker, { given }, first)).error).toMatchObject(refused);
    asking.release();
    expect(textOf(await second)).toContain('Zoe');
    for (const broker of [0, 1]) expect((await round(broker, { given }, first)).error).toMatchObject(refused);
    expect(await calls()).toMatchObject([{ outcome: 'ok', rounds: 2 }]);
    expect(await messages()).toEqual([]);
  });

  test('another person’s answer, and one to other arguments, are refused before anything is passed on', async () => {
    const first = await round(0);
    expect((await round(1, { token: bob }, first)).error).toMatchObject(refused);
    expect((await round(1, { given: { times: 2 } }, first)).error).toMatchObject(refused);
    expect(textOf(await round(1, {}, first))).toContain('Zoe');
  });

  test('of a user’s calls as many wait as before', async () => {
    const open: Round[] = [];
    for (let n = 0; n < 8; n++) open.push(await round(0));
    expect((await round(0)).error).toMatchObject({ message: 'Too many calls are already waiting for an answer' });
    for (const one of open) expect(textOf(await round(1, {}, one))).toContain('Zoe');
  });

  const lost = {
    isError: true,
    content: [{ text: expect.stringContaining('Check whether it took effect') }],
    _meta: { 'souk/code': 'upstream_unavailable' },
  };
  test.each([
    ['while it waits', false, refused],
    ['while it runs the round', true, lost],
  ])(
    'a broker that is killed %s is missed within a bounded time',
    { timeout: 180_000 },
    async (_when, isRunning, expected) => {
      const env = { ...withoutHealthChecks, DATABASE_URL: databaseUrl, PUBLIC_URL: replicas.publicUrl };
      const broker = await forkBroker({ ...env, MASTER_KEY: masterKey }, [asking.address, modern.address]);
      const given = { wait: isRunning };
      const first = await round(broker.port, { given });
      expect(first.result).toMatchObject(isQuestion);
      if (!isRunning) await broker.kill();
      const since = performance.now();
      const second = round(1, { given }, first);
      if (isRunning) {
        await waitUntil('the call to go on', () => asking.waiting() === 1);
        await broker.kill();
      }
      const { result, error } = await second;
      expect(performance.now() - since).toBeLessThan(mostSilenceMs);
      expect(error ?? result).toMatchObject(expected);
      expect(await messages()).toEqual([]);
    },
  );

  test('a broker that stops finishes the round of a client of the other one first', async () => {
    const given = { wait: true };
    const first = await round(0, { given });
    const second = round(1, { given }, first);
    await waitUntil('the call to go on', () => asking.waiting() === 1);
    const restarted = replicas.restart(0);
    asking.release();
    expect(textOf(await second)).toContain('Zoe');
    await restarted;
  });

  describe('of a server of 2026-07-28, whose own state the client carries', () => {
    const name = 'modern__test_input_required_result_request_state';

    test('run at any broker, and leave one row', async () => {
      for (const [one, other] of [
        [0, 1],
        [1, 0],
      ] as const) {
        const first = await round(one, { name });
        expect(first.result).toMatchObject(isQuestion);
        expect(textOf(await round(other, { name }, first, { action: 'accept', content: { ok: true } }))).toContain(
          'state-ok',
        );
        expect(await calls()).toMatchObject([{ outcome: 'ok', rounds: 2 }]);
        await db.query('delete from usage_events');
      }
      expect(await messages()).toEqual([]);
    });
  });

  test('the client of SDK 2.x works at brokers in turn', async () => {
    const reached: number[] = [];
    const client = new Client(
      { name: 'in-turn', version: '1.0.0' },
      { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
    );
    client.setRequestHandler('elicitation/create', async ({ params }) => ({
      action: 'accept',
      content: { name: `Zoe to ${params.message}` },
    }));
    const transport = new StreamableHTTPClientTransport(new URL(link()), {
      requestInit: { headers: { authorization: `Bearer ${ann}` } },
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
      const { content } = await client.callTool({ name: tool, arguments: { times } });
      expect(JSON.stringify(content)).toContain(`Zoe to Question ${times}?`);
      expect(reached.length - before).toBe(times + 1);
    }
    const name = 'modern__test_input_required_result_elicitation';
    expect(JSON.stringify(await client.callTool({ name, arguments: {} }))).toContain('Zoe');
    await client.close();
    expect((await calls()).map(({ outcome, rounds }) => `${outcome} ${rounds}`)).toEqual(
      [2, 3, 4, 2].map((rounds) => `ok ${rounds}`),
    );
  });
});
