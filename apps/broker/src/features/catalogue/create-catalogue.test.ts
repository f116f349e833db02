import { expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import { asRecord } from '#platform/json.ts';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../migrations.ts';
import { createCatalogue } from './create-catalogue.ts';
import { manifest, offering, tool } from './testing/weather-server.ts';

const log = createLog('silent');

describeOnDatabases('the stored catalogue', migrations, (open) => {
  const start = async () => createCatalogue({ db: await open(), clock: systemClock, log });

  test('shows a manifest only once it is deployed, and the deployed version until the next one is', async () => {
    const catalogue = await start();
    expect(await catalogue.stage(manifest('weather'), { origin: 'admin' })).toBe('staged');
    expect(catalogue.snapshot().servers).toEqual([]);
    await catalogue.deploy('weather', '1.0.0');
    await catalogue.stage(manifest('weather', { version: '1.1.0', name: 'New' }), { origin: 'admin' });
    expect(catalogue.snapshot().byId.get('weather')?.manifest.name).toBe('WEATHER');
    await catalogue.deploy('weather', '1.1.0');
    expect(catalogue.snapshot().byId.get('weather')?.manifest.name).toBe('New');
    // every version is kept, so that a deployed one can be rolled back
    await catalogue.deploy('weather', '1.0.0');
    expect(catalogue.snapshot().byId.get('weather')?.manifest.name).toBe('WEATHER');
    expect((await catalogue.versions('weather')).map((row) => row.status).sort()).toEqual(['deployed', 'superseded']);
    await catalogue.stop();
  });

  test('accepts the same version again, and refuses it with other content, naming the difference', async () => {
    const catalogue = await start();
    await catalogue.stage(manifest('weather'), { origin: 'admin' });
    expect(await catalogue.stage(manifest('weather'), { origin: 'admin' })).toBe('unchanged');
    await expect(
      catalogue.stage(manifest('weather', { description: 'Other.' }), { origin: 'admin' }),
    ).rejects.toMatchObject({
      code: 'manifest_conflict',
      message: expect.stringContaining('description'),
      issues: [{ path: 'description', message: 'differs from the stored version' }],
    });
    await expect(catalogue.deploy('weather', '9.9.9')).rejects.toMatchObject({ code: 'not_found' });
    await catalogue.stop();
  });

  test("a server's offering is stored once: again only when it changes, or when another program version judges it", async () => {
    const db = await open();
    const began = async (builtBy: string) => createCatalogue({ db, clock: systemClock, log, builtBy });
    /** Returns the transactions that wrote the rows of its tools. */
    const writes = async () => (await db.query('select name, xmin::text as xmin from capabilities order by name')).rows;
    const first = await began('1.0.0');
    await first.deployManifest(manifest('weather'), { via: 'command' });
    await first.storeDiscovery('weather', offering({ tools: [tool('one'), tool('two')] }));
    const stored = await writes();
    await first.setHealth('weather', { status: 'error', detail: 'It is down', era: undefined });
    await first.stop();

    const second = await began('1.0.0');
    const before = second.snapshot().byId.get('weather');
    await second.storeDiscovery('weather', offering({ tools: [tool('one'), tool('two')] }));
    expect(await writes()).toEqual(stored);
    const asked = second.snapshot().byId.get('weather');
    expect(asked).toMatchObject({ status: 'connected', statusDetail: undefined, offersHash: before?.offersHash });
    expect(asked?.discoveredAtMs).toBeGreaterThan(before?.discoveredAtMs ?? Number.NaN);
    await second.storeDiscovery('weather', offering({ tools: [tool('one'), tool('two', 'Says more.')] }));
    const changed = await writes();
    expect(changed).not.toEqual(stored);
    await second.stop();

    const third = await began('1.0.1');
    expect(third.snapshot().byId.get('weather')?.discoveredAtMs).toBe(
      second.snapshot().byId.get('weather')?.discoveredAtMs,
    );
    await third.storeDiscovery('weather', offering({ tools: [tool('one'), tool('two', 'Says more.')] }));
    expect(await writes()).not.toEqual(changed);
    await third.stop();
  });

  test("stores a server's offering, with exposed names and the costs of the manifest", async () => {
    const catalogue = await start();
    await catalogue.stage(manifest('weather', { billing: { tier: 'T0', toolCosts: { two: 5 } } }), { origin: 'admin' });
    await catalogue.deploy('weather', '1.0.0');
    // sorted neither by length nor alphabetically
    const inOrder = ['from', 'to', 'day', 'at'];
    const inputSchema = { type: 'object', properties: Object.fromEntries(inOrder.map((name) => [name, {}])) };
    await catalogue.storeDiscovery(
      'weather',
      offering({ tools: [{ ...tool('one', 'Reads\u200B.'), inputSchema }, tool('two'), tool('one')] }),
    );
    const server = catalogue.snapshot().byId.get('weather');
    expect(server).toMatchObject({ status: 'connected', era: { verdict: 'legacy' } });
    expect(server?.tools.map(({ name, exposedName, creditCost }) => ({ name, exposedName, creditCost }))).toEqual([
      { name: 'one', exposedName: 'weather__one', creditCost: 0 },
      { name: 'two', exposedName: 'weather__two', creditCost: 5 },
    ]);
    expect(server?.tools[0]?.definition['description']).toBe('Reads.');
    expect(Object.keys(asRecord(server?.tools[0]?.definition['inputSchema'])?.['properties'] ?? {})).toEqual(inOrder);
    expect(catalogue.snapshot().toolsByExposedName.get('weather__two')?.serverId).toBe('weather');
    await catalogue.stop();
  });

  test('gives different names to two servers with the same slug or the same resource address', async () => {
    const catalogue = await start();
    for (const id of ['a', 'b']) {
      await catalogue.stage(manifest(id, { slug: 'same' }), { origin: 'admin' });
      await catalogue.deploy(id, '1.0.0');
      await catalogue.storeDiscovery(id, offering({ resources: [{ name: 'list', uri: 'data://list' }] }));
    }
    const { servers } = catalogue.snapshot();
    expect(servers.map((server) => server.slug)).toEqual(['same', 'same2']);
    expect(servers.flatMap((server) => server.resources.map((item) => item.exposedName))).toEqual([
      'data://list',
      'souk://same2/data://list',
    ]);
    await catalogue.stop();
  });

  test('is refreshed by every replica when one of them changes it', async () => {
    const db = await open();
    const [first, second] = await Promise.all([1, 2].map(() => createCatalogue({ db, clock: systemClock, log })));
    if (!first || !second) throw new Error('unreachable');
    await first.stage(manifest('weather'), { origin: 'admin' });
    await first.deploy('weather', '1.0.0');
    await waitUntil('the other replica to see the server', () => second.snapshot().byId.has('weather'));
    await first.setHealth('weather', { status: 'error', detail: 'The server does not answer in time', era: undefined });
    await waitUntil(
      'the other replica to see its status',
      () => second.snapshot().byId.get('weather')?.status === 'error',
    );
    expect(second.snapshot().byId.get('weather')?.statusDetail).toBe('The server does not answer in time');
    await Promise.all([first.stop(), second.stop()]);
  });

  test('includes a change made between its start and its first notice', async () => {
    const db = await open();
    const other = await createCatalogue({ db, clock: systemClock, log });
    const listen: typeof db.listen = async (...listener) => {
      await other.deployManifest(manifest('weather'), { via: 'command' });
      return db.listen(...listener);
    };
    const catalogue = await createCatalogue({ db: { ...db, listen }, clock: systemClock, log });
    expect(catalogue.snapshot().byId.has('weather')).toBe(true);
    await Promise.all([other.stop(), catalogue.stop()]);
  });

  test('never returns to the previous status, if a read began before the new one was written', async () => {
    const catalogue = await start();
    await catalogue.stage(manifest('weather'), { origin: 'admin' });
    await catalogue.deploy('weather', '1.0.0');
    const seen: string[] = [];
    catalogue.onChange((snapshot) => seen.push(snapshot.byId.get('weather')?.status ?? 'gone'));
    const reading = catalogue.iconChanged('weather');
    const written = catalogue.setHealth('weather', { status: 'error', detail: 'It does not answer', era: undefined });
    await Promise.all([reading, written]);
    expect(seen.length, 'once when it is known, and once for each read').toBeGreaterThan(2);
    expect(new Set(seen)).toEqual(new Set(['error']));
    // what others write counts again
    await catalogue.storeDiscovery('weather', offering());
    expect(catalogue.snapshot().byId.get('weather')?.status).toBe('connected');
    await catalogue.stop();
  });

  test('says since when a server is down, immediately and as stored: since the first of several reasons', async () => {
    const db = await open();
    let nowMs = Date.parse('2026-11-20T12:00:00.000Z');
    const clock = { ...systemClock, now: () => nowMs };
    const catalogue = await createCatalogue({ db, clock, log });
    await catalogue.deployManifest(manifest('weather'), { via: 'command' });
    await catalogue.storeDiscovery('weather', offering());
    /** @returns the times in the answer before anything is stored, in the one after, and in one after a restart */
    const sinceAfter = async (minutes: number, status: 'connected' | 'disconnected' | 'error', detail?: string) => {
      nowMs += minutes * 60_000;
      const seen: (number | undefined)[] = [];
      const sinceIn = (of: typeof catalogue) => of.snapshot().byId.get('weather')?.statusSinceMs;
      const told = catalogue.onChange(() => seen.push(sinceIn(catalogue)));
      await catalogue.setHealth('weather', { status, detail, era: undefined });
      told();
      const restarted = await createCatalogue({ db, clock, log });
      const stored = sinceIn(restarted);
      await restarted.stop();
      return [seen[0], sinceIn(catalogue), stored].map((ms) => ms !== undefined && new Date(ms).toISOString());
    };
    const three = (moment: string) => [moment, moment, moment];
    const first = three('2026-11-20T12:10:00.000Z');
    expect(await sinceAfter(10, 'disconnected', 'The server cannot be reached')).toEqual(first);
    expect(await sinceAfter(10, 'disconnected', 'The server closed the connection')).toEqual(first);
    expect(await sinceAfter(10, 'error', 'Its calls fail')).toEqual(first);
    expect(await sinceAfter(10, 'connected')).toEqual(three('2026-11-20T12:40:00.000Z'));
    await catalogue.stop();
  });

  test('keeps the last catalogue of an unreachable server, also after a restart', async () => {
    const db = await open();
    const before = await createCatalogue({ db, clock: systemClock, log });
    await before.stage(manifest('weather'), { origin: 'admin' });
    await before.deploy('weather', '1.0.0');
    await before.storeDiscovery('weather', offering());
    await before.setHealth('weather', {
      status: 'disconnected',
      detail: 'The server cannot be reached',
      era: undefined,
    });
    await before.stop();
    const after = await createCatalogue({ db, clock: systemClock, log });
    expect(after.snapshot().byId.get('weather')).toMatchObject({
      status: 'disconnected',
      statusDetail: 'The server cannot be reached',
      tools: [{ name: 'one' }, { name: 'two' }],
    });
    await after.stop();
  });

  test('deploys once for concurrent requests', async () => {
    const catalogue = await start();
    await catalogue.stage(manifest('weather'), { origin: 'admin' });
    await catalogue.stage(manifest('weather', { version: '2.0.0' }), { origin: 'admin' });
    await Promise.all(['1.0.0', '2.0.0', '1.0.0', '2.0.0'].map((version) => catalogue.deploy('weather', version)));
    const deployed = (await catalogue.versions('weather')).filter((row) => row.status === 'deployed');
    expect(deployed).toHaveLength(1);
    expect(catalogue.snapshot().byId.get('weather')?.manifest.version).toBe(deployed[0]?.version);
    await catalogue.stop();
  });

  test('texts are cleaned at every depth, and characters that the database refuses are removed', async () => {
    const catalogue = await start();
    await catalogue.stage(manifest('weather'), { origin: 'admin' });
    await catalogue.deploy('weather', '1.0.0');
    const properties = { place: { type: 'string', description: 'A\u202Eplace', enum: ['a\0b', '\uD800'] } };
    await catalogue.storeDiscovery(
      'weather',
      offering({
        tools: [{ ...tool('one'), inputSchema: { type: 'object', properties } }],
        prompts: [{ name: 'hello', arguments: [{ name: 'who', description: 'Wh\u200Bo' }] }],
      }),
    );
    const server = catalogue.snapshot().byId.get('weather');
    expect(server?.tools[0]?.flagged).toBe(true);
    expect(server?.tools[0]?.definition['inputSchema']).toEqual({
      type: 'object',
      properties: { place: { type: 'string', description: 'Aplace', enum: ['ab', '\uFFFD'] } },
    });
    expect(server?.prompts[0]?.definition['arguments']).toEqual([{ name: 'who', description: 'Who' }]);
    await catalogue.stop();
  });
});
