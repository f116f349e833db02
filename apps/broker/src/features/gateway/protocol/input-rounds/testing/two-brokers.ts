import { randomBytes } from 'node:crypto';
import { afterAll, afterEach, beforeAll } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { connectPatiently, createPostgresDatabase } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { forkBroker, type ForkedBroker } from '#testing/fork-broker.ts';
import type { RpcBody } from '#testing/people/mcp-clients.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import type { TestAppOptions } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { readUsageRows, type UsageRow } from '#testing/figures/usage-rows.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startConformanceFixture } from '../../../../../../../../conformance/fixture.ts';
import { startAskingServer, type AskingServer } from './asking-server.ts';

export type Round = { result?: Record<string, unknown>; error?: RpcBody['error'] };
export type RoundOptions = {
  /** Method and parameters; by default a call of the tool that asks, with these arguments. */
  method?: string;
  name?: string;
  given?: object;
  token?: string;
  signal?: AbortSignal;
  /** Collects progress and log messages. */
  heard?: unknown[];
};

/** Two brokers on one PostgreSQL, a server `asking` up to 2025-11-25 and a server `modern` of 2026-07-28. */
export type TwoBrokers = {
  db: Database;
  replicas: Replicas;
  asking: AskingServer;
  link: string;
  /** Tokens of two users. */
  ann: string;
  bob: string;
  /** Returns the rows of rounds, and of answers to tools that are run from the web app. */
  messages(): Promise<unknown[]>;
  /** Returns the number of statements on these rows that the brokers have run. */
  statements(): number;
  /** Returns the usage rows of all calls. */
  calls(): Promise<UsageRow[]>;
  /** Starts another broker, which can be killed. */
  fork(): Promise<ForkedBroker>;
  /** Runs one round at a broker; with `before`, the next round of its call, with `answer` to all of its questions. */
  round(broker: number, options?: RoundOptions, before?: Round, answer?: object): Promise<Round>;
  close(): Promise<void>;
};

type Options = Pick<TestAppOptions, 'clock'>;

async function startTwoBrokers(options: Options): Promise<TwoBrokers> {
  const databaseUrl = await createPostgresDatabase();
  const masterKey = randomBytes(32).toString('base64url');
  let statements = 0;
  const connect = async (): Promise<Database> => {
    const opened = await connectPatiently(databaseUrl);
    const query: typeof opened.query = (text, values) => {
      if (/mcp_round_messages|tool_run_messages/.test(text)) statements += 1;
      return opened.query(text, values);
    };
    return { ...opened, query };
  };
  const [db, asking, modern] = await Promise.all([connect(), startAskingServer(), startConformanceFixture('modern')]);
  const allowAddresses = [asking.address, modern.address];
  // each broker has half or a third of the slots: waiting calls are to be limited by their own number
  const env = { MASTER_KEY: masterKey, MCP_IN_FLIGHT_USER: '48' };
  const replicas = await startReplicas(connect, { allowAddresses, env, ...options });
  const [first, second] = replicas.apps;
  await deployManifest(first, { id: 'asking', connection: { type: 'http', url: asking.url } });
  await deployManifest(first, { id: 'modern', connection: { type: 'http', url: modern.url } });
  const servers = () => second.catalogue.snapshot().servers;
  const known = () => servers().filter(({ offersHash }) => offersHash).length === 2;
  await waitUntil('the other broker to know the services', known);
  const tokenOf = async (email: string) => (await first.identity.createPersonalToken({ email, name: 'test' })).token;
  const [ann, bob] = [await tokenOf('ann@souk.test'), await tokenOf('bob@souk.test')];
  const link = `${replicas.publicUrl}/mcp`;

  return {
    db,
    replicas,
    asking,
    link,
    ann,
    bob,
    statements: () => statements,
    messages: async () =>
      (await db.query(`select id from mcp_round_messages union all select id from tool_run_messages`)).rows,
    async calls() {
      await Promise.all(replicas.apps.map((app) => app.usage.flush()));
      return readUsageRows(db);
    },
    fork: () => forkBroker({ ...env, DATABASE_URL: databaseUrl, PUBLIC_URL: replicas.publicUrl }, allowAddresses),
    async round(broker, options = {}, before, answer = { action: 'accept', content: { name: 'Zoe' } }) {
      const { method = 'tools/call', name = 'asking__ask', given = {}, token = ann, signal, heard = [] } = options;
      const questions = Object.keys(Object(before?.result?.['inputRequests']));
      const request = modernRequest(token, method, {
        name,
        arguments: given,
        ...(before && {
          requestState: before.result?.['requestState'],
          inputResponses: Object.fromEntries(questions.map((key) => [key, answer])),
        }),
        _meta: {
          'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
          'io.modelcontextprotocol/logLevel': 'info',
          progressToken: 'p',
        },
      });
      const headers = { ...request.headers, ...replicas.at(broker) };
      return readAnswer(await fetch(link, { ...request, headers, ...(signal && { signal }) }), heard);
    },
    async close() {
      await replicas.stop();
      await db.close();
      await Promise.all([asking.close(), modern.close()]);
    },
  };
}

/** Starts two brokers for the tests of a file, and clears calls and rows after each test. */
export function useTwoBrokers(take: (two: TwoBrokers) => void, options: Options = {}): void {
  let two: TwoBrokers | undefined;
  beforeAll(async () => {
    two = await startTwoBrokers(options);
    take(two);
  });
  afterEach(async () => {
    two?.asking.release();
    await two?.calls();
    await two?.db.query('delete from usage_events');
  });
  afterAll(() => two?.close());
}

/** Returns the last message of a response; progress and log messages before it are added to `heard` as they arrive. */
async function readAnswer(response: Response, heard: unknown[]): Promise<Round> {
  let last: Round = {};
  const read = (json: string) => {
    const message = JSON.parse(json);
    if (message.method === 'notifications/progress') heard.push(message.params.progress);
    else if (message.method === 'notifications/message') heard.push(message.params.data);
    else last = message;
  };
  let text = '';
  for await (const chunk of response.body ?? []) {
    text += Buffer.from(chunk).toString();
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    for (const line of lines) if (line.startsWith('data: {')) read(line.slice(6));
  }
  if (text.startsWith('{')) read(text);
  return last;
}
