import { getServer } from '@souk/contract/catalogue/catalogue-search.ts';
import { afterEach, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startFaultServer } from '#testing/servers/fault-server.ts';
import { startHeldServer } from '#testing/servers/held-server.ts';
import { limitFigure } from '#testing/figures/limits.ts';
import { startHttpFixture } from '#testing/servers/mcp-fixture.ts';
import { modernRequest } from '#testing/people/modern-request.ts';
import { startTestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';

/** Deadlines for a slow machine. */
const deadlines = { connectMs: 30_000, listMs: 60_000, callMs: 300_000 };

/** Resources that a test has started. They are stopped in reverse order. */
const started: (() => Promise<unknown>)[] = [];
afterEach(async () => {
  for (const stop of started.splice(0).toReversed()) await stop();
});
async function tracked<Started extends { close(): Promise<unknown> } | { stop(): Promise<unknown> }>(
  starting: Promise<Started>,
): Promise<Started> {
  const it = await starting;
  started.push(() => ('stop' in it ? it.stop() : it.close()));
  return it;
}

test.each([
  ['server', undefined],
  ['program', { type: 'stdio', command: 'memory' }],
])(
  'a %s for which no connection is left waits, which /readyz, the log and the shop say, and is queried later',
  async (_, program) => {
    const fixture = await tracked(startHttpFixture('modern'));
    const app = await tracked(
      startTestApp({
        allowAddresses: [fixture.address],
        env: { UPSTREAM_CONNECTIONS: '1', HEALTH_INTERVAL_MS: '500' },
      }),
    );
    const readiness = async () => (await fetch(`${app.publicUrl}/readyz`)).json();
    const statusOf = async (id: string) => {
      const answer = getServer.answer.parse(await (await fetch(`${app.publicUrl}/api/catalogue/servers/${id}`)).json());
      return [answer.server.status, answer.server.statusDetail];
    };
    const { token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
    const connection = { type: 'http', url: fixture.url };
    await deployManifest(app, { id: 'first', connection, deadlines });
    const ended = new AbortController();
    const call = fetch(`${app.publicUrl}/mcp`, {
      ...modernRequest(token, 'tools/call', { name: 'first__hang', arguments: {} }),
      signal: ended.signal,
    }).catch(() => {});
    await waitUntil('the call to be running', () => app.upstreams.pool.inFlight('first') === 1);

    await deployManifest(app, { id: 'second', connection: program ?? connection, deadlines }, 'unasked');
    const detail = 'It is waiting to be checked: all connections of this installation are in use';
    await waitUntil('the second to wait', async () => (await statusOf('second'))[1] === detail);
    expect(await statusOf('second')).toEqual(['disconnected', detail]);
    const told =
      '1 of 2 servers waits to be checked: all 1 connections to servers are in use. Raise UPSTREAM_CONNECTIONS.';
    expect(await readiness()).toEqual({ status: 'ready', warnings: [told] });
    await waitUntil('the log to say so', () => app.logged().includes(told));

    ended.abort();
    await call;
    await waitUntil('the second to be queried', async () => (await statusOf('second'))[0] === 'connected');
    // with one connection for two servers, a check may leave the other one out for a moment
    await waitUntil('/readyz to be ready again', async () => !('warnings' in Object(await readiness())));
    expect(app.logged().split(told)).toHaveLength(2);
  },
);

test('a stop does not wait for servers that hang, at the handshake or in a check, and does not report them as down', async () => {
  const stopBesideHanging = async () => {
    const held = await tracked(startHeldServer());
    const faults = await tracked(startFaultServer());
    const allowAddresses = [held.address, faults.address];
    const app = await tracked(startTestApp({ allowAddresses, env: { HEALTH_INTERVAL_MS: '200' } }));
    await deployManifest(app, { id: 'ends', connection: { type: 'http', url: faults.url('hang-ping') }, deadlines });
    await deployManifest(app, { id: 'hangs', connection: { type: 'http', url: held.url }, deadlines }, 'unasked');
    await waitUntil('the handshake to begin', () => app.upstreams.pool.figures().connections === 2);
    await waitUntil('a check to be running', () => faults.requests.some(({ method }) => method === 'ping'));
    const beganAtMs = Date.now();
    const stopped = app.stop();
    // this one ends with the broker
    await faults.close();
    await stopped;
    const tookMs = Date.now() - beganAtMs;
    expect(app.logged()).not.toContain('upstream down');
    return tookMs;
  };
  await stopBesideHanging();
  await limitFigure(10_000, 'ms to stop', stopBesideHanging, { scales: 'none' });
});
