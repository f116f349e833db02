import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { initializeRequest, openSession, type SessionHeaders } from '#testing/people/open-session.ts';
import { revokeToken } from '#testing/people/revoke-token.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../../migrations.ts';

const hourMs = 60 * 60_000;

describeOnPostgres('sessions up to 2025-11-25 on two brokers', migrations, (open) => {
  let db: Database;
  let replicas: Replicas;
  let fixture: HttpFixture;
  let token = '';
  let nowMs = Date.now();
  let beforeTransaction: (() => Promise<void>) | undefined;
  beforeAll(async () => {
    db = await open();
    fixture = await startHttpFixture('both');
    // the database outlives the brokers
    const shared: Database = {
      ...db,
      close: async () => {},
      async transaction(work) {
        await beforeTransaction?.();
        return db.transaction(work);
      },
    };
    const options = { allowAddresses: [fixture.address], env: withoutHealthChecks, clock: { now: () => nowMs } };
    replicas = await startReplicas(async () => shared, options);
    await deployManifest(replicas.apps[0], { id: 'both', connection: { type: 'http', url: fixture.url } });
    const known = () => replicas.apps[1].catalogue.snapshot().byId.get('both');
    await waitUntil('the other broker to know the service', () => known()?.offersHash !== undefined);
    ({ token } = await replicas.apps[0].identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  });
  afterAll(async () => {
    await replicas?.stop();
    await fixture?.close();
  });

  const link = () => `${replicas.publicUrl}/mcp`;
  const message = (method: string, params: object = {}, id = 5) =>
    JSON.stringify({ jsonrpc: '2.0', id, method, params });
  const echo = message('tools/call', { name: 'both__echo', arguments: { text: 'hello' } });
  const post = (broker: 0 | 1, session: SessionHeaders, body = echo, more: Record<string, string> = {}) =>
    postRaw(link(), body, { ...session, ...replicas.at(broker), ...more });
  const rows = async () => (await db.query<{ id_hash: string }>(`select id_hash from mcp_sessions`)).rows;
  const getStream = async (broker: 0 | 1, session: SessionHeaders, more: Record<string, string> = {}) => {
    const controller = new AbortController();
    const headers = { accept: 'text/event-stream', ...session, ...replicas.at(broker), ...more };
    const response = await fetch(link(), { headers, signal: controller.signal });
    return { response, abort: () => controller.abort() };
  };

  test('a session is known immediately to the other broker, and to one that starts later', async () => {
    const session = await openSession(link(), token, { capabilities: { roots: {} } });
    for (const broker of [0, 1, 0, 1] as const) {
      expect((await post(broker, session)).body.result).toMatchObject({ content: [{ text: 'hello' }] });
    }
    await Promise.all([replicas.restart(0), replicas.restart(1)]);
    for (const broker of [0, 1] as const) {
      expect((await post(broker, session)).body.result).toMatchObject({ content: [{ text: 'hello' }] });
      // what the client declared when it opened the session is known
      const asked = await post(broker, session, message('tools/call', { name: 'both__capabilities' }));
      expect(asked.text).toContain('roots');
    }
  });

  test('the response to initialize waits for the row, so that the next request may reach the other broker', async () => {
    const other = await openSession(link(), token);
    const entered = Promise.withResolvers<void>();
    const gate = Promise.withResolvers<void>();
    beforeTransaction = async () => {
      entered.resolve();
      await gate.promise;
    };
    let isAnswered = false;
    const opening = openSession(link(), token).finally(() => {
      isAnswered = true;
    });
    try {
      await entered.promise;
      // enough time for a response
      for (const broker of [0, 1] as const) expect((await post(broker, other)).status).toBe(200);
      expect(isAnswered).toBe(false);
    } finally {
      beforeTransaction = undefined;
      gate.resolve();
    }
    const session = await opening;
    for (const broker of [1, 0] as const) expect((await post(broker, session)).status).toBe(200);
  });

  test('the database contains no session ids, and a request with another token or link gets 404', async () => {
    const session = await openSession(link(), token);
    const id = session['mcp-session-id'];
    const { rows: stored } = await db.query(`select * from mcp_sessions`);
    expect(JSON.stringify(stored)).not.toContain(id);
    const other = await replicas.apps[0].identity.createPersonalToken({ email: 'ann@souk.test', name: 'other' });
    const stranger = await replicas.apps[0].identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' });
    for (const broker of [0, 1] as const) {
      for (const one of [other, stranger]) {
        const refused = await post(broker, { ...session, authorization: `Bearer ${one.token}` });
        expect([refused.status, refused.body.error?.message]).toEqual([404, 'Session not found']);
      }
      const headers = { ...session, ...replicas.at(broker) };
      expect((await postRaw(`${replicas.publicUrl}/s/both/mcp`, echo, headers)).status).toBe(404);
    }
    expect((await post(1, session)).status).toBe(200);
  });

  test('the level of log messages applies to both brokers', async () => {
    const session = await openSession(link(), token);
    const typeOfAnswer = async (broker: 0 | 1) => (await post(broker, session)).headers.get('content-type');
    for (const broker of [0, 1] as const) await post(broker, session);
    // an ordinary call is answered without a stream, as long as no log message can be sent
    expect(await typeOfAnswer(0)).toBe('application/json');
    await post(1, session, message('logging/setLevel', { level: 'error' }));
    await expect.poll(() => typeOfAnswer(0)).toBe('text/event-stream');
    await replicas.restart(0);
    for (const broker of [0, 0, 1] as const) expect(await typeOfAnswer(broker)).toBe('text/event-stream');
  });

  test('a session that its client ends has ended on every broker', async () => {
    const session = await openSession(link(), token);
    for (const broker of [0, 1] as const) expect((await post(broker, session)).status).toBe(200);
    const ended = await fetch(link(), { method: 'DELETE', headers: { ...session, ...replicas.at(0) } });
    expect(ended.status).toBe(200);
    for (const broker of [0, 1] as const) {
      await expect.poll(async () => (await post(broker, session)).status).toBe(404);
    }
  });

  test('the sessions of a revoked token are deleted from the database', async () => {
    const own = await replicas.apps[0].identity.createPersonalToken({ email: 'carl@souk.test', name: 'test' });
    const before = await rows();
    const session = await openSession(link(), own.token);
    expect(await rows()).toHaveLength(before.length + 1);
    const { accessToken } = await new ScriptedBrowser(replicas.publicUrl).signInWeb({ email: 'carl@souk.test' });
    await revokeToken(replicas.publicUrl, accessToken, own.id);
    await expect.poll(async () => (await rows()).length).toBe(before.length);
    await expect.poll(async () => (await post(0, session)).status).toBe(401);
  });

  test('a user has 100 sessions, however many brokers open more concurrently; the least recently used end', async () => {
    const own = await replicas.apps[0].identity.createPersonalToken({ email: 'dora@souk.test', name: 'test' });
    const first = await openSession(link(), own.token);
    expect((await post(1, first)).status).toBe(200);
    const before = (await rows()).length;
    nowMs += 1000;
    await Promise.all(Array.from({ length: 110 }, () => openSession(link(), own.token)));
    expect((await rows()).length - before).toBe(99);
    for (const broker of [0, 1] as const) {
      await expect.poll(async () => (await post(broker, first)).status).toBe(404);
    }
  });

  test('a session that is idle for 24 hours has ended, and its client opens a new one after sending the old id', async () => {
    const session = await openSession(link(), token);
    nowMs += 23 * hourMs;
    for (const broker of [0, 1] as const) expect((await post(broker, session)).status).toBe(200);
    nowMs += 23 * hourMs;
    expect((await post(0, session)).status).toBe(200);
    nowMs += 25 * hourMs;
    for (const broker of [0, 1] as const) {
      const refused = await post(broker, session);
      expect([refused.status, refused.body.error?.message]).toEqual([404, 'Session not found']);
    }
    const opened = await post(1, session, initializeRequest());
    expect(opened.status).toBe(200);
    const id = opened.headers.get('mcp-session-id') ?? '';
    expect(id).not.toBe(session['mcp-session-id']);
    expect((await post(0, { ...session, 'mcp-session-id': id })).status).toBe(200);
    await replicas.apps[0].gateway.removeExpiredSessions();
    expect(await rows()).toHaveLength(1);
  });

  test('an open stream keeps its session alive, also across a restart', async () => {
    const session = await openSession(link(), token);
    const stream = await getStream(0, session);
    expect(stream.response.status).toBe(200);
    nowMs += 25 * hourMs;
    expect((await post(0, session)).status).toBe(200);
    nowMs += 25 * hourMs;
    await replicas.restart(0);
    stream.abort();
    for (const broker of [0, 1] as const) expect((await post(broker, session)).status).toBe(200);
  });

  test('a finished stream is not resumed: 405; an unknown event: 400; never an empty 200', async () => {
    const session = await openSession(link(), token, { capabilities: { roots: {} } });
    const version = { 'mcp-protocol-version': '2025-11-25' };
    const answered = await post(0, session, message('tools/list'), version);
    const events = [...answered.text.matchAll(/^id: (.+)$/gm)].map(([, id]) => id ?? '');
    expect(events).toHaveLength(2);
    const [start = '', answer = ''] = events;
    const resume = async (broker: 0 | 1, lastEventId: string) => {
      const { response } = await getStream(broker, session, { ...version, 'last-event-id': lastEventId });
      return { status: response.status, text: await response.text() };
    };
    expect((await resume(0, answer)).status).toBe(405);
    // this client has not received the response
    const again = await resume(0, start);
    expect(again.status).toBe(200);
    expect(again.text).toContain('both__echo');
    for (const unknown of ['nonsense', `${crypto.randomUUID()}.1`, `${crypto.randomUUID()}.99999999`]) {
      expect((await resume(0, unknown)).status).toBe(400);
    }
    // the other broker has no such stream
    expect((await resume(1, answer)).status).toBe(400);
  });

  test("a session's own stream is resumed on another broker, which says that lists may have changed", async () => {
    const session = await openSession(link(), token);
    const lastEventId = '_GET_stream.17';
    const { response, abort } = await getStream(1, session, { 'last-event-id': lastEventId });
    expect(response.status).toBe(200);
    const first = await response.body?.getReader().read();
    expect(new TextDecoder().decode(first?.value)).toContain('notifications/tools/list_changed');
    abort();
  });

  test('a client whose capabilities take more than 16 KiB is refused', async () => {
    const headers = { authorization: `Bearer ${token}` };
    const large = { experimental: { large: { text: 'x'.repeat(17_000) } } };
    const refused = await postRaw(link(), initializeRequest({ capabilities: large }), headers);
    expect([refused.status, refused.body.error?.code]).toEqual([400, -32602]);
  });
});
