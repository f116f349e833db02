import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getCapabilities } from '@souk/contract/catalogue/catalogue.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startListServer, type ListServer } from '#features/catalogue/testing/list-server.ts';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase, temporaryRoot } from '#testing/databases/databases.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../migrations.ts';

const count = 48;
/** Number of servers that may be queried concurrently. */
const atOnce = 4;

let folder: string;
let server: ListServer;
/** Queries of this start: how many began, how many of them wait for their lists, and the maximum of these. */
let asked = { begun: 0, underWay: 0, most: 0 };
const opened: Database[] = [];
const masterKey = randomBytes(32).toString('base64url');

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'many-servers-'));
  server = await startListServer('modern', { tools: [{ name: 'look', inputSchema: { type: 'object' } }] }, (method) => {
    if (method === 'tools/list') asked.underWay--;
    if (method !== 'server/discover') return;
    asked.begun++;
    asked.most = Math.max(asked.most, ++asked.underWay);
  });
  for (let number = 0; number < count; number++) {
    const manifest = {
      serviceType: 'mcp',
      id: `server-${number}`,
      name: `Server ${number}`,
      version: '1.0.0',
      description: 'One of many.',
      category: 'data',
      connection: { type: 'http', url: `${server.url}?number=${number}` },
    };
    await writeFile(join(folder, `${number}.json`), JSON.stringify(manifest));
  }
});
afterAll(async () => {
  await server?.close();
  await Promise.all(opened.map((db) => db.close()));
  await rm(folder, { recursive: true, force: true });
});

/** Starts an app on this database, which stays open when the app stops. */
async function start(db: Database): Promise<TestApp> {
  asked = { begun: 0, underWay: 0, most: 0 };
  return startTestApp({
    db: { ...db, close: async () => {} },
    allowAddresses: [server.address],
    askTurns: { atOnce, burst: atOnce, perSecond: 1_000 },
    env: { CATALOGUE_DIR: folder, MASTER_KEY: masterKey, HEALTH_INTERVAL_MS: '600000' },
  });
}

test('a start queries many servers in turns, responds meanwhile, and stores only changes', async () => {
  const db = await openTestDatabase(migrations);
  opened.push(db);
  const first = await start(db);
  const page = await fetch(`${first.publicUrl}/api/catalogue/servers`);
  expect(page.status).toBe(200);
  expect(await page.json()).toMatchObject({ pagination: { total: count } });
  expect(asked.begun, 'the shop responded before all were queried').toBeLessThan(count);
  await first.serversAsked;
  expect(new Set(first.catalogue.snapshot().servers.map(({ status }) => status))).toEqual(new Set(['connected']));
  expect(asked).toEqual({ begun: count, underWay: 0, most: atOnce });
  await expectWholeLists(first);
  await first.stop();

  const written = async () =>
    (await db.query('select server_id, xmin::text as xmin from capabilities order by 1')).rows;
  const before = await written();
  expect(before).toHaveLength(count);
  const second = await start(db);
  await second.serversAsked;
  expect(asked.begun).toBe(count);
  expect(await written()).toEqual(before);
  await second.stop();
});

/** Expects the lists of everything to be sent piece by piece, and complete. */
async function expectWholeLists({ publicUrl, catalogue }: TestApp): Promise<void> {
  const read = async (path: string) => {
    const answer = await fetch(publicUrl + path);
    expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8');
    return answer.json();
  };
  const ids = catalogue.snapshot().servers.map(({ id }) => id);
  const tools = ids.map((serverId) => ({ serverId, type: 'tool', name: 'look' }));
  expect(await read('/mcp/tools')).toMatchObject({ tools });
  expect(await read('/mcp/prompts')).toEqual({ prompts: [] });
  expect(await read('/mcp/resources')).toEqual({ resources: [] });
  const whole = await read('/mcp/capabilities');
  expect(getCapabilities.answer.parse(whole)).toEqual(whole);
  expect(whole).toMatchObject({ servers: ids.map((serverId) => ({ serverId })), capabilities: tools });
}

test('a stop does not wait for the servers whose turn has not come', async () => {
  const db = await openTestDatabase(migrations);
  opened.push(db);
  const app = await start(db);
  await waitUntil('the first to be queried', () => asked.begun > 0);
  await app.stop();
  expect(asked.begun).toBeLessThan(count);
});
