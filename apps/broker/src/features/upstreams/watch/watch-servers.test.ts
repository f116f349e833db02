import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { limitElapsed, limitFigure } from '#testing/figures/limits.ts';
import { connectModern, type TestClient } from '#testing/people/mcp-clients.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { servicesWithHeldCalendar } from './testing/held-calendar.ts';

let app: TestApp;
let fixture: HttpFixture;
let calendar: ReturnType<typeof servicesWithHeldCalendar>;
let token: string;
let aheadMs = 0;
const clients: TestClient[] = [];
const promisedMs = 15_000;
/** Long enough to see a killed service before it is restarted, on a slow machine too. */
const restartDelayMs = 6_000;
/** Deadlines for a slow machine, which takes long to start programs. */
const deadlines = { connectMs: 30_000, listMs: 60_000 };

beforeAll(async () => {
  calendar = servicesWithHeldCalendar();
  fixture = await startHttpFixture('both');
  app = await startTestApp({
    allowAddresses: [fixture.address],
    clock: { now: () => Date.now() + aheadMs },
    paths: { services: calendar.services },
    env: { SERVICE_RESTART_DELAY_MS: String(restartDelayMs), HEALTH_INTERVAL_MS: '5000' },
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  await deployManifest(app, { id: 'travel', connection: { type: 'http', url: 'service:travel' }, deadlines });
  await deployManifest(app, { id: 'calendar', connection: { type: 'websocket', url: 'service:calendar' }, deadlines });
  await deployManifest(app, {
    id: 'thinking',
    connection: { type: 'stdio', command: 'sequential-thinking' },
    isolation: 'shared',
    deadlines,
  });
});
afterEach(async () => {
  calendar.letGo();
  for (const client of clients.splice(0)) await client.close();
});
afterAll(async () => {
  await app?.stop();
  await fixture?.close();
});

const statusOf = (id: string) => app.catalogue.snapshot().byId.get(id)?.status;
const untilStatus = (id: string, status: string) => waitUntil(`${id} to be ${status}`, () => statusOf(id) === status);
const kill = (name: string, signal: NodeJS.Signals) => {
  const pid = app.upstreams.services.pids().get(name);
  if (pid === undefined) throw new Error(`${name} is not running`);
  // by then it counts as healthy, and is restarted after the shortest delay
  if (signal === 'SIGKILL') aheadMs += 61_000;
  process.kill(pid, signal);
};
async function connect(as = token): Promise<TestClient> {
  const client = await connectModern(`${app.publicUrl}/mcp`, as);
  clients.push(client);
  return client;
}

test('a service that is killed is disconnected within 15 s, says in calls that it is starting, and reconnects automatically', async () => {
  const client = await connect();
  const { services } = app.upstreams;
  const before = services.pids().get('calendar');
  await limitElapsed(
    promisedMs,
    async () => {
      calendar.letGo();
      await untilStatus('calendar', 'connected');
      calendar.hold();
      kill('calendar', 'SIGKILL');
      let waitMs: number | undefined;
      await waitUntil('its restart is reported', () => {
        waitMs = services.restartsInMs('calendar');
        return waitMs !== undefined;
      });
      expect(waitMs).toBeLessThanOrEqual(restartDelayMs);
      await untilStatus('calendar', 'disconnected');
    },
    { scales: 'none' },
  );
  expect(app.catalogue.snapshot().byId.get('calendar')?.tools.length).toBeGreaterThan(0);
  await waitUntil('it to be started again', () => ![undefined, before].includes(services.pids().get('calendar')));
  const { content } = await client.callTool({ name: 'calendar__list_events', arguments: {} });
  // and nothing about an unexpected end
  expect(JSON.stringify(content)).toContain('alendar is starting. Nothing was charged. Try again in 1 second.');
  calendar.letGo();
  await untilStatus('calendar', 'connected');
});

test('users keep using an HTTP service that was killed during their calls, within 2 s of its return', async () => {
  const client = await connect();
  const bob = await app.identity.createPersonalToken({ email: 'bob@souk.test', name: 'test' });
  const other = await connect(bob.token);
  const call = (from = client) => from.callTool({ name: 'travel__list_itineraries', arguments: {} });
  /** Kills the service during calls. @returns once it is back at another address */
  const restart = async () => {
    for (const from of [client, other]) expect((await call(from)).isError).toBeFalsy();
    const before = app.upstreams.services.address('travel');
    kill('travel', 'SIGSTOP');
    const broken = Promise.all([client, other].flatMap((from) => Array.from({ length: 4 }, () => call(from))));
    await waitUntil('all are with the service', () => app.upstreams.pool.inFlight('travel') === 8);
    kill('travel', 'SIGKILL');
    const opened = waitUntil('its circuit to open', () => app.upstreams.pool.isCircuitOpen('travel'));
    expect((await broken).every(({ isError }) => isError)).toBe(true);
    await opened;
    await waitUntil(
      'the service to be back at another address',
      () => ![undefined, before].includes(app.upstreams.services.address('travel')),
    );
  };
  const serveBoth = async () => {
    await restart();
    const backAtMs = Date.now();
    for (const from of [client, other]) expect((await call(from)).isError).toBeFalsy();
    const tookMs = Date.now() - backAtMs;
    await untilStatus('travel', 'connected');
    return tookMs;
  };
  await serveBoth();
  await limitFigure(2000, 'ms until both are served', serveBoth);
});

test('a service that hangs is in error within 15 s, and connected again when it recovers', async () => {
  try {
    await limitElapsed(
      promisedMs,
      async () => {
        kill('travel', 'SIGCONT');
        await untilStatus('travel', 'connected');
        kill('travel', 'SIGSTOP');
        await untilStatus('travel', 'error');
      },
      { scales: 'none', what: 'in error' },
    );
    const client = await connect();
    // the service hangs without end, and a ping times out after 4 s
    await limitElapsed(
      2000,
      async () => expect((await client.listTools()).tools.some(({ name }) => name.startsWith('travel__'))).toBe(true),
      { what: 'a list meanwhile' },
    );
  } finally {
    kill('travel', 'SIGCONT');
  }
  await untilStatus('travel', 'connected');
});

test('a stdio server that is killed is disconnected immediately and restarted after the restart delay', async () => {
  const client = await connect();
  const call = () =>
    client.callTool({
      name: 'thinking__sequentialthinking',
      arguments: { thought: 'first', nextThoughtNeeded: false, thoughtNumber: 1, totalThoughts: 1 },
    });
  expect((await call()).isError).toBeFalsy();
  const [pid] = app.upstreams.pool.stdioPids('thinking');
  if (pid === undefined) throw new Error('the server is not running');
  process.kill(pid, 'SIGKILL');
  await untilStatus('thinking', 'disconnected');
  await untilStatus('thinking', 'connected');
  expect(app.upstreams.pool.stdioPids('thinking')).not.toContain(pid);
  expect((await call()).isError).toBeFalsy();
});

test('a server that announces changed tools is queried again', async () => {
  await deployManifest(app, { id: 'changing', connection: { type: 'http', url: fixture.url }, deadlines });
  const before = app.catalogue.snapshot().byId.get('changing')?.discoveredAtMs ?? 0;
  // a server is queried once in 10 s
  aheadMs += 10_000;
  await waitUntil('the server to be queried again', () => {
    // repeated, since the broker may not listen yet
    fixture.announceToolsChanged();
    return (app.catalogue.snapshot().byId.get('changing')?.discoveredAtMs ?? 0) > before;
  });
  expect(fixture.seen.requests.filter(({ method }) => method === 'tools/list').length).toBeGreaterThanOrEqual(2);
});

test('a program that announces its lists at each start is discovered once, with one process per kind of client', async () => {
  const connection = { type: 'stdio', command: 'everything' };
  const manifest = { id: 'announcing', connection, isolation: 'perUser', asks: ['form'], deadlines };
  await deployManifest(app, manifest, 'unasked');
  // a server is queried once in 10 s: another discovery would follow immediately
  aheadMs += 10_000;
  await untilStatus('announcing', 'connected');
  await deployManifest(app, { id: 'after', connection: { type: 'http', url: fixture.url }, deadlines });
  expect(await app.upstreams.watch.asked('announcing')).toBeUndefined();
  const starts = () =>
    app.upstreams.programs.linesOf('announcing').filter((line) => line.includes('Starting default (STDIO) server'));
  await waitUntil('both to have said that they start', () => starts().length >= 2);
  expect(starts()).toHaveLength(2);
  const offered = app.catalogue.snapshot().byId.get('announcing')?.tools;
  expect(offered?.find(({ asks }) => asks === 'form')?.name).toBe('trigger-elicitation-request');
});
