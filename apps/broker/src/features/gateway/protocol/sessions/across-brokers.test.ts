import { randomUUID } from 'node:crypto';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { Client as ClientV1 } from '@modelcontextprotocol/sdk/client/index.js';
import { StreamableHTTPClientTransport as TransportV1 } from '@modelcontextprotocol/sdk/client/streamableHttp.js';
import { ElicitRequestSchema } from '@modelcontextprotocol/sdk/types.js';
import { afterAll, afterEach, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { connectPatiently, createPostgresDatabase, hasPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { openSession, type SessionHeaders } from '#testing/people/open-session.ts';
import { openStream, type OpenStream } from '#testing/people/open-stream.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startTellingServer, type TellingServer } from '../../testing/telling-server.ts';

/** Maximum time of a message from one broker to the other, with its call. */
const mostMs = 250;

describe.skipIf(!hasPostgres())('one session on two brokers (PostgreSQL)', () => {
  let db: Database;
  let replicas: Replicas;
  let fixture: HttpFixture;
  let telling: TellingServer;
  let token = '';
  let nowMs = Date.now();
  let lateMs = 0;
  beforeAll(async () => {
    const databaseUrl = await createPostgresDatabase();
    const connect = () => connectPatiently(databaseUrl);
    /** Connects the second broker, which receives notices `lateMs` late. */
    const connectLate = async (): Promise<Database> => {
      const own = await connect();
      const listen: Database['listen'] = (channel, listener) =>
        own.listen(channel, (payload) => (lateMs > 0 ? void setTimeout(listener, lateMs, payload) : listener(payload)));
      return { ...own, listen };
    };
    let connected = 0;
    [db, fixture, telling] = await Promise.all([connect(), startHttpFixture('both'), startTellingServer('legacy')]);
    replicas = await startReplicas(() => (connected++ === 1 ? connectLate() : connect()), {
      allowAddresses: [fixture.address, telling.address],
      env: withoutHealthChecks,
      clock: { now: () => nowMs },
    });
    const [first, second] = replicas.apps;
    await deployManifest(first, { id: 'both', connection: { type: 'http', url: fixture.url } });
    await deployManifest(first, { id: 'tell', connection: { type: 'http', url: telling.url } });
    const servers = () => second.catalogue.snapshot().servers;
    await waitUntil(
      'the other broker to know the services',
      () => servers().filter((one) => one.offersHash).length === 2,
    );
    ({ token } = await first.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  });
  const opened: OpenStream[] = [];
  afterEach(async () => {
    for (const one of opened.splice(0)) one.abort();
    await db.query('delete from mcp_session_messages');
  });
  afterAll(async () => {
    await replicas?.stop();
    await db?.close();
    await Promise.all([fixture?.close(), telling?.close()]);
  });

  const link = () => `${replicas.publicUrl}/mcp`;
  const open = (capabilities: Record<string, unknown> = { elicitation: {} }, own = token) =>
    openSession(link(), own, { capabilities });
  const post = (broker: 0 | 1, session: SessionHeaders, message: object) =>
    postRaw(link(), JSON.stringify({ jsonrpc: '2.0', ...message }), { ...session, ...replicas.at(broker) });
  const call = (id: number, name: string, given: object = {}) => ({
    id,
    method: 'tools/call',
    params: { name, arguments: given },
  });
  const waiting = async () => (await db.query(`select * from mcp_session_messages`)).rows;

  /** Opens the session's own stream, or the one that answers a message. */
  const stream = async (broker: 0 | 1, session: SessionHeaders, message?: object): Promise<OpenStream> => {
    const one = await openStream(link(), {
      method: message ? 'POST' : 'GET',
      headers: {
        accept: message ? 'application/json, text/event-stream' : 'text/event-stream',
        'content-type': 'application/json',
        ...session,
        ...replicas.at(broker),
      },
      ...(message && { body: JSON.stringify({ jsonrpc: '2.0', ...message }) }),
    });
    opened.push(one);
    return one;
  };

  async function asked(broker: 0 | 1, session: SessionHeaders) {
    const running = await stream(broker, session, call(7, 'both__ask'));
    await waitUntil('the question', () => running.messages().some(({ method }) => method === 'elicitation/create'));
    const { id } = running.messages().find(({ method }) => method === 'elicitation/create') ?? {};
    return { running, answer: { id, result: { action: 'accept', content: { name: 'Ann' } } } };
  }

  test('the answer to a question reaches the broker that asked it within 250 ms, and leaves nothing behind', async () => {
    const session = await open();
    await limitElapsed(mostMs, async () => {
      const { running, answer } = await asked(0, session);
      expect((await post(1, session, answer)).status).toBe(202);
      await running.ended;
      expect(running.text()).toContain('thank you');
    });
    expect(await waiting()).toEqual([]);
  });

  test('questions of two brokers in one session have different ids', async () => {
    const session = await open();
    const [first, second] = [await asked(0, session), await asked(1, session)];
    expect(first.answer.id).not.toBe(second.answer.id);
    await post(0, session, second.answer);
    await post(1, session, first.answer);
    await Promise.all([first.running.ended, second.running.ended]);
    for (const { running } of [first, second]) expect(running.text()).toContain('thank you');
  });

  test('an answer to a question that no broker waits for is reported as over, on the session’s own stream', async () => {
    const session = await open();
    const { running, answer } = await asked(0, session);
    await replicas.restart(0);
    await running.ended;
    const own = await stream(0, session);
    expect((await post(1, session, answer)).status).toBe(202);
    await waitUntil('the client to be notified', () => own.text().includes('"This question is over: '));
    expect(own.messages().at(-1)).toMatchObject({ method: 'notifications/message', params: { level: 'warning' } });
    expect(await waiting()).toEqual([]);
  });

  test('an answer counts only in the session that was asked', async () => {
    const session = await open();
    const another = await open();
    const { running, answer } = await asked(0, session);
    for (const broker of [0, 1] as const) expect((await post(broker, another, answer)).status).toBe(202);
    // a later message on the same route has arrived, so the wrong answers have arrived too
    const later = await asked(0, another);
    await post(1, another, later.answer);
    await later.running.ended;
    expect(running.text()).not.toContain('thank you');
    await post(1, session, answer);
    await running.ended;
    expect(running.text()).toContain('thank you');
  });

  test.each([
    ['on the fast path', {}],
    ['through the SDK', { roots: {} }],
  ])('a cancellation reaches the broker that runs the call within 250 ms: %s', async (_way, capabilities) => {
    const session = await open(capabilities);
    // a session in memory uses the fast path
    await post(0, session, call(1, 'both__echo', { text: 'x' }));
    await limitElapsed(mostMs, async () => {
      const before = fixture.seen.cancelled.length;
      const arrived = fixture.seen.requests.length;
      const hanging = post(0, session, call(9, 'both__hang'));
      await waitUntil('the call to arrive', () => fixture.seen.requests.length > arrived);
      const cancel = { method: 'notifications/cancelled', params: { requestId: 9 } };
      expect((await post(1, session, cancel)).status).toBe(202);
      await waitUntil('the call to be canceled', () => fixture.seen.cancelled.length > before);
      expect((await hanging).body.result).toBeUndefined();
    });
    expect((await waiting()).filter(({ kind }) => kind === 'cancellation')).toEqual([]);
  });

  test('a client that is notified of changed lists finds the change at the other broker too', async () => {
    const bea = await newPerson('bea');
    const session = await open({}, bea.token);
    const own = await stream(0, session);
    const listed = async () => JSON.stringify((await post(1, session, { id: 2, method: 'tools/list' })).body.result);
    expect(await listed()).toContain('both__echo');
    const before = await toldOfAll(own);
    lateMs = 100;
    onTestFinished(() => {
      lateMs = 0;
    });
    await replicas.apps[0].upstreams.preferences.switchOff(bea.userId, 'both');
    await waitUntil('the lists to have changed', () => toldOfTools(own) > before);
    expect(await listed()).not.toContain('both__echo');
  });

  test('a stream reports changes that another broker makes or learns', async () => {
    const carl = await newPerson('carl');
    const session = await open({}, carl.token);
    const own = await stream(0, session);
    const heard = (method: string) => own.messages().some((message) => message.method === method);
    const before = await toldOfAll(own);
    await replicas.apps[1].upstreams.preferences.switchOff(carl.userId, 'both');
    await waitUntil('the lists to have changed', () => toldOfTools(own) > before);
    const listed = await post(1, session, { id: 3, method: 'resources/list' });
    const uri = JSON.stringify(listed.body.result).match(/"uri":"([^"]*listed)"/)?.[1];
    expect((await post(1, session, { id: 4, method: 'resources/subscribe', params: { uri } })).body.result).toEqual({});
    await waitUntil('the resource to have changed', () => {
      telling.touch('ui://telling/listed');
      return heard('notifications/resources/updated');
    });
  });

  const toldOfTools = (own: OpenStream) =>
    own.messages().filter(({ method }) => method === 'notifications/tools/list_changed').length;

  /**
   * Clients are notified a moment after a change, in the order of the changes. Resolves when this stream of the first
   * broker has received all notices so far, as a change for one other user shows. @returns the number of its notices
   */
  async function toldOfAll(own: OpenStream): Promise<number> {
    const other = await newPerson(`other-${randomUUID()}`);
    const others = await stream(0, await open({}, other.token));
    const [begun, othersBegun] = [toldOfTools(own), toldOfTools(others)];
    await replicas.apps[0].upstreams.preferences.switchOff(other.userId, 'tell');
    await waitUntil(
      'earlier changes to be announced',
      () => toldOfTools(others) - othersBegun > toldOfTools(own) - begun,
    );
    return toldOfTools(own);
  }

  /** Creates a user whose lists no other test changes. */
  async function newPerson(name: string): Promise<{ userId: string; token: string }> {
    const made = await replicas.apps[0].identity.createPersonalToken({ email: `${name}@souk.test`, name: 'test' });
    const { rows } = await db.query<{ id: string }>('select id from users where email = $1', [`${name}@souk.test`]);
    return { userId: rows[0]?.id ?? '', token: made.token };
  }

  test('messages that no broker takes are limited in number and size, and removed after a minute', async () => {
    const session = await open();
    const text = 'x'.repeat(400_000);
    for (let id = 1; id <= 30; id++) await post(1, session, { id, result: { text } });
    for (let id = 1; id <= 80; id++) await post(1, session, { id, result: {} });
    const rows = await waiting();
    // a notice of the other broker that is stored at the same moment adds one
    expect([64, 65]).toContain(rows.length);
    expect(JSON.stringify(rows).length).toBeLessThan(9 * 1024 * 1024);
    nowMs += 61_000;
    await replicas.apps[0].gateway.removeExpiredSessions();
    // meanwhile a broker may have sent a notice that an answer was not used
    const left = new Set((await waiting()).map(({ id }) => id));
    expect(rows.filter(({ id }) => left.has(id))).toEqual([]);
  });

  /** Actions of a client of each generation, under the same names. */
  type RoundRobinClient = {
    tools(): Promise<string[]>;
    call(
      name: string,
      given?: Record<string, unknown>,
      options?: { signal?: AbortSignal; onprogress?: (progress: { progress: number }) => void },
    ): Promise<string>;
    close(): Promise<void>;
  };
  const info = { name: 'round-robin', version: '1.0.0' };
  const capabilities = { elicitation: {} };
  const answer = async () => ({ action: 'accept' as const, content: { name: 'Ann' } });
  const init = () => ({ requestInit: { headers: { authorization: `Bearer ${token}` } } });

  async function connectV1(): Promise<RoundRobinClient> {
    const client = new ClientV1(info, { capabilities });
    client.setRequestHandler(ElicitRequestSchema, answer);
    const transport = new TransportV1(new URL(link()), init());
    // SDK 1.x declares optional members without `undefined`, which exactOptionalPropertyTypes takes literally.
    await client.connect(transport as Parameters<ClientV1['connect']>[0]);
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, given = {}, options = {}) =>
        JSON.stringify(await client.callTool({ name, arguments: given }, undefined, options)),
      close: () => client.close(),
    };
  }

  async function connectV2(): Promise<RoundRobinClient> {
    const client = new Client(info, { capabilities, versionNegotiation: { mode: 'legacy' } });
    client.setRequestHandler('elicitation/create', answer);
    await client.connect(new StreamableHTTPClientTransport(new URL(link()), init()));
    return {
      tools: async () => (await client.listTools()).tools.map(({ name }) => name),
      call: async (name, given = {}, options = {}) =>
        JSON.stringify(await client.callTool({ name, arguments: given }, options)),
      close: () => client.close(),
    };
  }

  test('the official SDK 1.x and the client of SDK 2.4 in legacy mode work round robin, and across a restart of both brokers', async () => {
    const clients = [await connectV1(), await connectV2()];
    onTestFinished(() => void Promise.all(clients.map((client) => client.close())));
    const useAll = async (client: RoundRobinClient) => {
      expect(await client.tools()).toContain('both__echo');
      for (const said of ['one', 'two', 'three']) {
        expect(await client.call('both__echo', { text: said })).toContain(said);
      }
      expect(await client.call('both__ask')).toContain('thank you');
      const progress: number[] = [];
      const onprogress = (one: { progress: number }) => void progress.push(one.progress);
      expect(await client.call('both__slow', { steps: 3, everyMs: 80 }, { onprogress })).toContain('done');
      expect(progress.length).toBeGreaterThan(0);
      const cancelled = fixture.seen.cancelled.length;
      const arrived = fixture.seen.requests.length;
      const stop = new AbortController();
      const hanging = client.call('both__hang', {}, { signal: stop.signal });
      await waitUntil('the call to arrive', () => fixture.seen.requests.length > arrived);
      stop.abort();
      await expect(hanging).rejects.toThrow(/abort/i);
      await waitUntil('the call to be canceled', () => fixture.seen.cancelled.length > cancelled);
    };
    for (const client of clients) await useAll(client);
    await Promise.all([replicas.restart(0), replicas.restart(1)]);
    for (const client of clients) await useAll(client);
  });
});
