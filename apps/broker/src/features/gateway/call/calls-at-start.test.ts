import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import type { Database } from '#platform/db/database.ts';
import { openTestDatabase } from '#testing/databases/databases.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { migrations } from '../../../migrations.ts';
import { startEndingServer, type EndingServer } from './testing/ending-server.ts';

let db: Database | undefined;
let app: TestApp | undefined;
const servers: EndingServer[] = [];
afterEach(async () => {
  for (const server of servers) server.welcome();
  await app?.stop();
  await db?.close();
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

test('tools of the stored catalogue are listed and callable as soon as the broker is ready, before their servers are rediscovered', async () => {
  const opened = (db = await openTestDatabase(migrations));
  const ids = ['one', 'two', 'three'];
  for (const _ of ids) servers.push(await startEndingServer('modern'));
  const env = { MASTER_KEY: randomBytes(32).toString('base64url') };
  const start = () =>
    startTestApp({
      db: { ...opened, close: async () => {} },
      env,
      allowAddresses: servers.map(({ address }) => address),
      askTurns: { atOnce: 1, burst: 1, perSecond: 1000 },
    });
  const before = (app = await start());
  for (const [index, id] of ids.entries())
    await deployManifest(before, { id, connection: { type: 'http', url: servers[index]?.url } });
  const { token } = await before.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
  await before.stop();

  // one server is queried and does not respond; the others wait for their turn
  for (const server of servers) server.holdBack();
  const { publicUrl } = (app = await start());
  await waitUntil('one server is being queried', () => servers.some(({ heldBack }) => heldBack > 0));
  const unasked = ids.filter((_, index) => servers[index]?.heldBack === 0);
  for (const server of servers) if (server.heldBack === 0) server.welcome();
  expect(unasked).toHaveLength(2);
  expect((await fetch(`${publicUrl}/readyz`)).status).toBe(200);
  const client = await connectModern(`${publicUrl}/mcp`, token);
  const { tools } = await client.listTools();
  expect(tools.map(({ name }) => name)).toEqual(expect.arrayContaining(ids.map((id) => `${id}__say`)));
  for (const id of unasked) {
    const answer = await client.callTool({ name: `${id}__say`, arguments: { end: 'ok' } });
    expect(answer, id).toMatchObject({ content: [{ text: 'done' }] });
  }
  await client.close();
});
