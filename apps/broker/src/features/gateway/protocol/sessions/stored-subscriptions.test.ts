import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { describeOnPostgres } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { postRaw } from '#testing/people/mcp-clients.ts';
import { openSession, type SessionHeaders } from '#testing/people/open-session.ts';
import { openStream, type OpenStream } from '#testing/people/open-stream.ts';
import { withoutHealthChecks } from '#testing/start-app.ts';
import { startReplicas, type Replicas } from '#testing/start-replicas.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../../migrations.ts';
import { startTellingServer, type TellingServer } from '../../testing/telling-server.ts';

const minuteMs = 60_000;
const method = 'notifications/resources/updated';

describeOnPostgres('resources/subscribe of a session on two brokers', migrations, (open) => {
  let db: Database;
  let replicas: Replicas;
  let telling: TellingServer;
  let token = '';
  let nowMs = Date.now();
  beforeAll(async () => {
    db = await open();
    telling = await startTellingServer('legacy');
    // the database outlives the brokers
    const shared = { ...db, close: async () => {} };
    const options = { allowAddresses: [telling.address], env: withoutHealthChecks, clock: { now: () => nowMs } };
    replicas = await startReplicas(async () => shared, options);
    await deployManifest(replicas.apps[0], { id: 'tell', connection: { type: 'http', url: telling.url } });
    const known = () => replicas.apps[1].catalogue.snapshot().byId.get('tell');
    await waitUntil('the other broker to know the service', () => known()?.offersHash !== undefined);
    ({ token } = await replicas.apps[0].identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  });
  afterAll(async () => {
    await replicas?.stop();
    await telling?.close();
  });

  const link = () => `${replicas.publicUrl}/mcp`;
  const request = (method: string, params: object = {}) => JSON.stringify({ jsonrpc: '2.0', id: 4, method, params });
  const ask = (broker: 0 | 1, session: SessionHeaders, name: 'subscribe' | 'unsubscribe', uri: string, url = link()) =>
    postRaw(url, request(`resources/${name}`, { uri }), { ...session, ...replicas.at(broker) });
  const listen = (broker: 0 | 1, session: SessionHeaders) =>
    openStream(link(), { headers: { accept: 'text/event-stream', ...session, ...replicas.at(broker) } });
  const heard = (stream: OpenStream, uri: string) =>
    stream.messages().filter((message) => message.method === method && message.params?.['uri'] === uri).length;
  const watchers = (uri: string) => telling.subscribed.filter((one) => one === uri).length;
  const stored = async () => {
    const { rows } = await db.query<{ subscriptions: string }>(`select subscriptions from mcp_sessions`);
    return rows.flatMap((row): string[] => JSON.parse(row.subscriptions));
  };

  test('a subscription survives a restart, and the client is notified of what it may have missed', async () => {
    const uri = 'note://restart';
    const session = await openSession(link(), token);
    expect((await ask(0, session, 'subscribe', uri)).body.result).toEqual({});
    await replicas.restart(0);
    const stream = await listen(0, session);
    // it may have changed while it was not watched
    await waitUntil('the client to be notified', () => heard(stream, uri) === 1);
    telling.touch(uri);
    await waitUntil('the client to be notified of the change', () => heard(stream, uri) === 2);
    stream.abort();
  });

  test('a subscription of a session that has left memory is resumed with its stream', async () => {
    const uri = 'note://idle';
    const session = await openSession(link(), token);
    await ask(0, session, 'subscribe', uri);
    nowMs += 31 * minuteMs;
    const stream = await listen(0, session);
    await waitUntil('the client to be notified', () => heard(stream, uri) === 1);
    telling.touch(uri);
    await waitUntil('the client to be notified of the change', () => heard(stream, uri) === 2);
    expect(watchers(uri)).toBe(1);
    stream.abort();
  });

  test('the broker that has the stream watches what was subscribed to at the other one, and reports each change once', async () => {
    const uri = 'note://elsewhere';
    const session = await openSession(link(), token);
    const stream = await listen(1, session);
    await ask(0, session, 'subscribe', uri);
    await waitUntil('both brokers to watch it', () => watchers(uri) === 2);
    for (let times = 1; times <= 5; times++) {
      telling.touch(uri);
      await waitUntil('the change', () => heard(stream, uri) >= times);
    }
    // what the first broker forwards has arrived
    await waitUntil('its notices to be read', async () => {
      const { rows } = await db.query(`select 1 from mcp_session_messages`);
      return rows.length === 0;
    });
    expect(heard(stream, uri)).toBe(5);
    await replicas.restart(0);
    telling.touch(uri);
    await waitUntil('the change', () => heard(stream, uri) === 6);
    stream.abort();
  });

  test('a resource unsubscribed from at one broker is watched by none, nor after a restart', async () => {
    const [uri, other] = ['note://ended', 'note://kept'];
    const session = await openSession(link(), token);
    await ask(0, session, 'subscribe', uri);
    await ask(0, session, 'subscribe', other);
    expect((await ask(1, session, 'unsubscribe', uri)).body.result).toEqual({});
    await waitUntil('the other broker to end it', () => watchers(uri) === 0);
    await replicas.restart(0);
    const stream = await listen(0, session);
    await waitUntil('the client to be notified of the other one', () => heard(stream, other) === 1);
    expect([heard(stream, uri), watchers(uri)]).toEqual([0, 0]);
    stream.abort();
  });

  test('a resource that the user may no longer see is not watched after a restart', async () => {
    const uri = 'note://lost';
    const session = await openSession(link(), token);
    await ask(0, session, 'subscribe', uri);
    await waitUntil('it to be watched', () => watchers(uri) === 1);
    const { rows } = await db.query<{ user_id: string }>(`select user_id from mcp_sessions limit 1`);
    onTestFinished(() => replicas.apps[0].upstreams.preferences.switchOn(rows[0]?.user_id ?? '', 'tell'));
    await replicas.apps[0].upstreams.preferences.switchOff(rows[0]?.user_id ?? '', 'tell');
    await replicas.restart(0);
    const stream = await listen(0, session);
    const listed = await postRaw(link(), request('resources/list'), { ...session, ...replicas.at(0) });
    expect(listed.body.result).toMatchObject({ resources: [] });
    // takes as long as watching it again would, and begins later
    const bob = await replicas.apps[0].identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' });
    const bobs = await openSession(link(), bob.token);
    expect((await ask(0, bobs, 'subscribe', 'note://of-bob')).body.result).toEqual({});
    await waitUntil('that to be watched', () => watchers('note://of-bob') === 1);
    expect([heard(stream, uri), watchers(uri)]).toEqual([0, 0]);
    stream.abort();
  });

  test('a session has at most 100 subscriptions of 16 KiB; one more is refused and not watched', async () => {
    const link = `${replicas.publicUrl}/s/tell/mcp`;
    const session = await openSession(link, token);
    const subscribe = (broker: 0 | 1, uri: string) => ask(broker, session, 'subscribe', uri, link);
    const before = (await stored()).length;
    const long = `note://${'x'.repeat(17_000)}`;
    expect((await subscribe(0, long)).body.error).toMatchObject({
      code: -32603,
      message: 'This session has too many subscriptions',
    });
    for (let n = 0; n < 100; n++) await subscribe(0, `note://many-${n}`);
    expect((await stored()).length - before).toBe(100);
    // already subscribed
    expect((await subscribe(1, 'note://many-7')).body.result).toEqual({});
    expect((await subscribe(1, 'note://one-more')).body.error?.code).toBe(-32603);
    await waitUntil('neither to be watched', () => watchers(long) + watchers('note://one-more') === 0);
    expect((await stored()).length - before).toBe(100);
  });
});
