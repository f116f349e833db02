import { statSync } from 'node:fs';
import { join } from 'node:path';
import {
  connectHttp,
  connectOldHttp,
  eras,
  modernRevision,
  personHeaders,
  structuredOf,
  textOf,
} from '@souk/service-kit/testing/connect.ts';
import {
  eventually,
  runService,
  takingOver,
  temporaryFolder,
  type StartedService,
} from '@souk/service-kit/testing/run-service.ts';
import { elapsed } from '../../../apps/broker/src/testing/figures/elapsed.ts';
import { limitFigure } from '../../../apps/broker/src/testing/figures/limits.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

const program = new URL('./main.ts', import.meta.url);
const secret = 'a-secret-of-this-start';
const ana = personHeaders(secret, 'ana');
const ben = personHeaders(secret, 'ben');
const nobody = { 'x-souk-service-secret': secret };
const basicTools = [
  'delete_itinerary',
  'distance',
  'find_airports',
  'list_itineraries',
  'local_times',
  'plan_round_trip',
  'save_itinerary',
];
const proTools = ['carbon_estimate', 'compare_routes', 'daylight', 'jet_lag_plan'];
const enterpriseTools = ['batch_distances', 'itinerary_report', 'meeting_point'];

describe('travel', () => {
  const folder = temporaryFolder();
  let service: StartedService;

  beforeAll(async () => {
    service = await runService(program, { DATA_DIR: folder.path, SOUK_SERVICE_SECRET: secret });
  });
  afterAll(async () => {
    await service.stop();
    folder[Symbol.dispose]();
  });

  test.each([
    ['/mcp', basicTools],
    ['/pro/mcp', [...basicTools, ...proTools]],
    ['/enterprise/mcp', [...basicTools, ...proTools, ...enterpriseTools]],
  ])('%s lists its tools in both eras, each with schemas, a description and annotations', async (path, expected) => {
    for (const era of eras) {
      const client = await connectHttp(service.url + path, era, ana);
      expect(client.getNegotiatedProtocolVersion() === modernRevision).toBe(era === 'modern');
      const { tools } = await client.listTools();
      expect(tools.map((tool) => tool.name).sort()).toEqual([...expected].sort());
      for (const tool of tools) {
        expect(tool.outputSchema?.type).toBe('object');
        expect(tool.description?.length).toBeGreaterThan(20);
        expect(tool.annotations?.openWorldHint).toBe(false);
      }
      await client.close();
    }
  });

  test.each(eras)('the facts are correct over the %s era', async (era) => {
    const client = await connectHttp(`${service.url}/mcp`, era, nobody);
    const distance = await client.callTool({ name: 'distance', arguments: { from: 'lhr', to: 'JFK' } });
    expect(Math.abs(Number(structuredOf(distance)['km']) - 5_540)).toBeLessThan(20);
    expect(structuredOf(distance)['flightMinutes']).toBeGreaterThan(390);

    const found = await client.callTool({ name: 'find_airports', arguments: { query: 'sao paulo' } });
    expect(found.structuredContent).toMatchObject({ airports: [{ iata: 'GRU', country: 'Brazil' }] });
    const spain = await client.callTool({ name: 'find_airports', arguments: { query: 'ma', country: 'spain' } });
    expect(textOf(spain)).toContain('MAD');

    const times = async (at: string) => {
      const airports = ['LHR', 'JFK', 'SYD', 'KTM'];
      const result = await client.callTool({ name: 'local_times', arguments: { airports, at } });
      return structuredOf(result)['times'];
    };
    expect(await times('2026-07-01T12:00:00Z')).toMatchObject([
      { localTime: '2026-07-01T13:00:00+01:00', daylightSaving: true },
      { localTime: '2026-07-01T08:00:00-04:00', daylightSaving: true },
      { localTime: '2026-07-01T22:00:00+10:00', daylightSaving: false },
      { localTime: '2026-07-01T17:45:00+05:45', daylightSaving: false },
    ]);
    expect(await times('2026-01-01T12:00:00Z')).toMatchObject([
      { localTime: '2026-01-01T12:00:00Z', daylightSaving: false },
      { localTime: '2026-01-01T07:00:00-05:00', daylightSaving: false },
      { localTime: '2026-01-01T23:00:00+11:00', daylightSaving: true },
      { localTime: '2026-01-01T17:45:00+05:45', daylightSaving: false },
    ]);
    await client.close();
  });

  test('an unknown airport and invalid input are refused with a plain text', async () => {
    const client = await connectHttp(`${service.url}/mcp`, 'modern', nobody);
    const unknown = await client.callTool({ name: 'distance', arguments: { from: 'LHR', to: 'QQQ' } });
    expect(unknown.isError).toBe(true);
    expect(textOf(unknown)).toContain('No airport with the code QQQ');
    const twice = await client.callTool({ name: 'plan_round_trip', arguments: { airports: ['LHR', 'LHR', 'JFK'] } });
    expect(textOf(twice)).toContain('named twice');
    const short = await client.callTool({ name: 'distance', arguments: { from: 'LHR' } });
    expect(short.isError).toBe(true);
    await client.close();
  });

  test('the tools of travel-pro return correct results', async () => {
    const client = await connectHttp(`${service.url}/pro/mcp`, 'modern', ana);
    const routes = [
      ['LHR', 'JFK', 'LAX'],
      ['LHR', 'LAX'],
      ['LHR', 'SIN', 'LAX'],
    ];
    const compared = await client.callTool({ name: 'compare_routes', arguments: { routes } });
    expect(compared.structuredContent).toMatchObject({ shortest: 1, routes: [{}, { detourPercent: 0 }, {}] });

    const east = await client.callTool({
      name: 'jet_lag_plan',
      arguments: { from: 'JFK', to: 'FRA', arrival: '2026-07-01T06:00:00Z' },
    });
    expect(east.structuredContent).toMatchObject({ shiftHours: 6, days: { length: 6 } });
    const west = await client.callTool({
      name: 'jet_lag_plan',
      arguments: { from: 'FRA', to: 'JFK', arrival: '2026-07-01T06:00:00Z' },
    });
    expect(west.structuredContent).toMatchObject({
      shiftHours: -6,
      days: [{ bedtime: '18:30', seekLight: 'in the evening' }, {}, {}, { bedtime: '23:00' }],
    });

    const carbon = await client.callTool({ name: 'carbon_estimate', arguments: { route: ['LHR', 'JFK'] } });
    expect(Number(structuredOf(carbon)['kgCo2'])).toBeGreaterThan(400);
    expect(Number(structuredOf(carbon)['kgCo2'])).toBeLessThan(600);

    const summer = await client.callTool({ name: 'daylight', arguments: { airport: 'LHR', date: '2026-06-21' } });
    expect(summer.structuredContent).toMatchObject({
      sunrise: expect.stringMatching(/^2026-06-21T04:4\d/),
      sunset: expect.stringMatching(/^2026-06-21T21:2\d/),
    });
    const arctic = await client.callTool({ name: 'daylight', arguments: { airport: 'TOS', date: '2026-12-21' } });
    expect(arctic.structuredContent).toMatchObject({ kind: 'polar night', daylightMinutes: 0, sunrise: null });
    await client.close();
  });

  test('the tools of travel-enterprise return correct results', async () => {
    const client = await connectHttp(`${service.url}/enterprise/mcp`, 'legacy', ana);
    const team = [
      { from: 'LHR', people: 1 },
      { from: 'CDG', people: 9 },
    ];
    const meeting = await client.callTool({ name: 'meeting_point', arguments: { team } });
    expect(meeting.structuredContent).toMatchObject({ places: [{ iata: 'CDG' }, {}, {}, {}, {}] });

    const pairs = [
      { from: 'LHR', to: 'JFK' },
      { from: 'SYD', to: 'AKL' },
    ];
    const batch = await client.callTool({ name: 'batch_distances', arguments: { pairs } });
    expect(batch.structuredContent).toMatchObject({ distances: [{ from: 'LHR' }, { km: expect.closeTo(2_160, -2) }] });

    const saved = await client.callTool({
      name: 'save_itinerary',
      arguments: { name: 'Tour', stops: ['LHR', 'JFK'], departureDate: '2027-01-02' },
    });
    const { id } = Object(structuredOf(saved)['itinerary']);
    const report = await client.callTool({ name: 'itinerary_report', arguments: { id } });
    expect(report.structuredContent).toMatchObject({ legs: 1, km: expect.closeTo(5_540, -2) });
    expect(report.content[1]).toMatchObject({
      type: 'resource',
      resource: { mimeType: 'text/markdown', text: expect.stringContaining('# Tour') },
    });
    await client.callTool({ name: 'delete_itinerary', arguments: { id } });
    await client.close();
  });

  test('the prompt, the resource and the template can be read', async () => {
    const client = await connectHttp(`${service.url}/mcp`, 'modern', nobody);
    const prompt = await client.getPrompt({ name: 'plan_a_trip', arguments: { from: 'Oslo', to: 'Lima' } });
    expect(prompt.messages[0]?.content).toMatchObject({ text: expect.stringContaining('from Oslo to Lima') });
    const [all] = (await client.readResource({ uri: 'travel://airports' })).contents;
    expect(JSON.parse(all && 'text' in all ? all.text : '[]').length).toBeGreaterThan(149);
    const [one] = (await client.readResource({ uri: 'travel://airports/HND' })).contents;
    expect(one).toMatchObject({ text: expect.stringContaining('Haneda') });
    await expect(client.readResource({ uri: 'travel://airports/QQQ' })).rejects.toThrow('not found');
    await client.close();
  });

  test('the client of the 1.x line works, itineraries belong to one user and survive a restart', async () => {
    const client = await connectOldHttp(`${service.url}/mcp`, ana);
    const saved = await client.callTool({
      name: 'save_itinerary',
      arguments: { name: 'Nordics', stops: ['CPH', 'OSL', 'ARN'] },
    });
    expect(saved.structuredContent).toMatchObject({ itinerary: { name: 'Nordics', stops: ['CPH', 'OSL', 'ARN'] } });
    await client.close();

    const list = async (headers: Record<string, string>) => {
      const other = await connectHttp(`${service.url}/mcp`, 'modern', headers);
      const result = await other.callTool({ name: 'list_itineraries', arguments: {} });
      await other.close();
      return result;
    };
    expect((await list(ben)).structuredContent).toEqual({ itineraries: [] });
    const unsigned = await list(nobody);
    expect(unsigned.isError).toBe(true);
    expect(textOf(unsigned)).toContain('requires a signed-in user');

    expect(await service.stop()).toBe(0);
    service = await runService(program, { DATA_DIR: folder.path, SOUK_SERVICE_SECRET: secret });
    expect((await list(ana)).structuredContent).toMatchObject({ itineraries: [{ name: 'Nordics' }] });
    for (const suffix of ['', '-wal', '-shm']) {
      expect(statSync(join(folder.path, `travel.sqlite${suffix}`)).mode & 0o777).toBe(0o600);
    }
  });

  // concurrently, as different users, because most of it is waiting
  test.concurrent.each(eras)(
    'plan_round_trip takes over 5 s, reports progress and finds a short route (%s)',
    async (era) => {
      const client = await connectHttp(`${service.url}/mcp`, era, ana);
      const airports = ['LHR', 'SYD', 'CDG', 'MEL', 'AMS', 'AKL', 'FRA', 'BNE'];
      const seen: number[] = [];
      const result = await takingOver(5_000, () =>
        client.callTool(
          { name: 'plan_round_trip', arguments: { airports } },
          { onprogress: ({ progress }) => seen.push(progress) },
        ),
      );
      expect(seen.length).toBeGreaterThanOrEqual(3);
      expect(result.structuredContent).toMatchObject({ order: { 0: 'LHR', length: 8 } });
      expect(structuredOf(result)['km']).toBeLessThan(40_500);
      await client.close();
    },
  );

  test.concurrent.each(eras)('a canceled plan_round_trip stops immediately and frees its slot (%s)', async (era) => {
    const client = await connectHttp(`${service.url}/mcp`, era, personHeaders(secret, `canceller-${era}`));
    const plan = { name: 'plan_round_trip', arguments: { airports: ['LHR', 'JFK', 'SYD'], searchSeconds: 60 } };
    const aborts = Array.from({ length: 4 }, () => new AbortController());
    const running = aborts.map(
      ({ signal }) =>
        new Promise<void>((resolve, reject) => {
          void client.callTool(plan, { signal, onprogress: () => resolve() }).catch(reject);
        }),
    );
    await Promise.all(running);
    const fifth = await client.callTool(plan);
    expect(textOf(fifth)).toContain('running already');

    for (const abort of aborts) abort.abort('enough');
    // All four would run for a minute.
    const short = { ...plan, arguments: { ...plan.arguments, searchSeconds: 1 } };
    const freed = () =>
      eventually('a free slot', async () => {
        const again = await client.callTool(short);
        return again.isError === true ? undefined : again;
      });
    const { ms } = await elapsed(freed);
    await limitFigure(5_000, 'ms', () => ms, { scales: 'none' });
    await client.close();
  });

  test('requests without the secret, with a foreign Host or from a browser are refused', async () => {
    const post = (headers: Record<string, string>, body = '{}') =>
      fetch(`${service.url}/mcp`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      });
    expect((await post({})).status).toBe(401);
    expect((await post({ ...ana, 'x-souk-service-secret': 'wrong' })).status).toBe(401);
    expect((await post({ ...ana, origin: 'http://localhost:3000' })).status).toBe(403);
    expect((await post({ ...ana, 'x-souk-subject': 'x'.repeat(129) })).status).toBe(400);
    expect((await post(ana, `"${'x'.repeat(1024 * 1024)}"`)).status).toBe(413);
    expect((await fetch(`${service.url}/other`, { headers: ana })).status).toBe(404);
  });

  test("another user's session does not exist", async () => {
    const headers = { 'content-type': 'application/json', accept: 'application/json, text/event-stream' };
    const body = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } },
    });
    const opened = await fetch(`${service.url}/mcp`, { method: 'POST', headers: { ...headers, ...ana }, body });
    const session = { 'mcp-session-id': opened.headers.get('mcp-session-id') ?? '' };
    await opened.body?.cancel();
    const list = JSON.stringify({ jsonrpc: '2.0', id: 2, method: 'tools/list' });
    const use = (who: Record<string, string>) =>
      fetch(`${service.url}/mcp`, { method: 'POST', headers: { ...headers, ...session, ...who }, body: list });
    expect((await use(ben)).status).toBe(404);
    expect((await use(ana)).status).toBe(200);
  });

  test('it exits automatically when its parent has ended', async () => {
    using other = temporaryFolder();
    const orphan = await runService(program, { DATA_DIR: other.path });
    const exited = new Promise((resolve) => orphan.child.once('exit', resolve));
    orphan.child.stdin?.end();
    expect(await exited).toBe(0);
  });
});
