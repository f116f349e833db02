import { randomUUID } from 'node:crypto';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { adminServerEndpoints } from '@souk/contract/admin/servers.ts';
import { createClient, type Client } from '@souk/contract/client.ts';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { parseManifest } from '#features/catalogue/index.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { startEndingServer, type EndingServer } from '../../gateway/call/testing/ending-server.ts';
import { startTellingServer, type TellingServer } from '../../gateway/testing/telling-server.ts';
import { mergeUsage } from '../daily/merge-usage.ts';

let app: TestApp;
let server: EndingServer;
let telling: TellingServer;
const endpoints = [...adminServerEndpoints, ...adminManifestEndpoints] as const;
let admin: Client<typeof endpoints>;
const hourMs = 60 * 60_000;
/** Start of the running test: each has its own day and server. */
let begunMs = Date.parse('2026-11-20T12:00:00Z');
let nowMs = begunMs;
let id: string;
const at = (hours: number) => new Date(begunMs + hours * hourMs).toISOString();

beforeAll(async () => {
  server = await startEndingServer('modern');
  telling = await startTellingServer('legacy');
  app = await startTestApp({
    allowAddresses: [server.address, telling.address],
    clock: { now: () => nowMs, monotonic: () => nowMs },
    env: withoutHealthChecks,
  });
});
let count = 0;
beforeEach(async () => {
  count += 1;
  id = `used-${count}`;
  begunMs += 24 * hourMs;
  nowMs = begunMs;
  await deployManifest(app, manifest('1.0.0', { say: 0, gone: 7 }));
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'admin@souk.test' });
  admin = createClient(endpoints, { baseUrl: app.publicUrl, fetch, token: async () => accessToken });
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
  await telling?.close();
});

function manifest(version: string, toolCosts: Record<string, number>) {
  return {
    id,
    name: id,
    serviceType: 'mcp',
    description: 'A server of a test.',
    category: 'data',
    version,
    connection: { type: 'http', url: server.url },
    billing: { tier: 'T0', toolCosts },
  };
}

async function callAs(email: string, ends: readonly string[], tool = 'say'): Promise<void> {
  const { accessToken: token } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email });
  for (const end of ends) {
    const answer = await fetch(`${app.publicUrl}/api/tool-runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ serverId: id, tool, arguments: { end } }),
    });
    await answer.text();
  }
  await app.usage.flush();
}

const paid = (type: string, amount: number, at: string, status = 'completed') =>
  app.db.query(
    `insert into transactions (id, user_id, livemode, type, status, description, server_id, amount, currency, idem, created_at)
     values ($1::uuid, $1::uuid, false, $2, $3, 'x', $4, $5, 'USD', $1::text, $6)`,
    [randomUUID(), type, status, id, amount, at],
  );

/** Makes four answered calls of two users, two that the server failed, and one that was refused before it was sent. */
async function useServer(): Promise<void> {
  await callAs('ann@souk.test', ['ok', 'ok', 'tool_error', 'reset']);
  await callAs('bob@souk.test', ['ok', 'garbage']);
  const { accessToken } = await new ScriptedBrowser(app.publicUrl).signInWeb({ email: 'cleo@souk.test' });
  const headers = { authorization: `Bearer ${accessToken}` };
  await fetch(`${app.publicUrl}/mcp/${id}/disable`, { method: 'POST', headers });
  await callAs('cleo@souk.test', ['ok']);
}

const figures = () => admin.getServerFigures({ params: { id } });

test('figures of 30 days: answered calls, separately failed and refused ones, users, and the income from rentals after refunds', async () => {
  await useServer();
  const month = { calls: 4, errors: 2, refused: 1, credits: 0, users: 2, revenueCents: 0, currency: 'USD' };
  // no time passes: all are in the first bucket, which ends at 5 ms
  expect((await figures()).month).toMatchObject({ ...month, p50Ms: 3, p95Ms: 5 });
  // the same once parts are merged into days
  await mergeUsage(app.db);
  expect((await figures()).month).toMatchObject(month);
  await paid('rental_create', 900, '2026-11-19T10:00:00Z', 'refunded');
  await paid('rental_create', 900, '2026-11-18T10:00:00Z');
  await paid('rental_create', 900, '2026-09-01T10:00:00Z');
  await paid('rental_create', 5000, '2026-11-18T10:00:00Z', 'failed');
  await paid('refund', 300, '2026-11-19T11:00:00Z');
  expect((await figures()).month.revenueCents).toBe(1500);
  expect(await figures()).toMatchObject({ renters: 0, now: { status: 'connected', era: 'modern', children: [] } });
});

test('a status has the time since when it applies, and a reason for operators', async () => {
  const { now } = await figures();
  expect(now).toMatchObject({ status: 'connected', reason: null, detail: null, since: at(0) });
  nowMs += hourMs;
  const detail = 'The server cannot be reached';
  await app.catalogue.setHealth(id, { status: 'disconnected', detail, era: undefined });
  const since = at(1);
  expect((await figures()).now).toMatchObject({ status: 'disconnected', reason: detail, since, lastCheckAt: since });
  nowMs += hourMs;
  await app.catalogue.setHealth(id, { status: 'disconnected', detail, era: undefined });
  // checks that change nothing are written together, some seconds later
  const later = at(2);
  await waitUntil('the check to be written', async () => (await figures()).now?.lastCheckAt === later);
  expect((await figures()).now).toMatchObject({ since, lastCheckAt: later });
  await app.catalogue.setHealth(id, { status: 'connected', detail: undefined, era: undefined });
  expect((await figures()).now).toMatchObject({ status: 'connected', since: at(2) });
});

test('tools have both prices, the results of their calls, their size, and the change under review', async () => {
  const staged = parseManifest(JSON.stringify(manifest('1.1.0', { say: 5 })), {
    stdioAliases: new Set(),
    services: new Set(),
    addressProblem: () => undefined,
  });
  await app.catalogue.stage(staged, { origin: 'admin' });
  await useServer();
  const { tools, pricedButMissing } = await admin.listServerTools({ params: { id } });
  const say = tools.find(({ name }) => name === 'say');
  expect(say).toMatchObject({
    exposedName: `${id}__say`,
    credits: 0,
    stagedCredits: 5,
    calls: 4,
    errors: 2,
    underReview: false,
  });
  expect(say?.tokens).toBeGreaterThan(0);
  expect(pricedButMissing).toEqual([{ name: 'gone', credits: 7 }]);
  server.changeTool();
  nowMs += 60_000;
  app.upstreams.watch.refresh([id]);
  await waitUntil('the changed tool to be under review', async () =>
    (await admin.listServerTools({ params: { id } })).tools.some(({ underReview }) => underReview),
  );
  const changed = (await admin.listServerTools({ params: { id } })).tools.find(({ name }) => name === 'say');
  expect(changed).toMatchObject({ underReview: true, pendingChange: { tool: 'say', status: 'pending' } });
});

test('a tool that runs only as a task is shown as unlisted, and the list of manifests does not count it', async () => {
  await deployManifest(app, {
    ...manifest('1.0.0', {}),
    id: 'telling',
    connection: { type: 'http', url: telling.url },
  });
  const { tools } = await admin.listServerTools({ params: { id: 'telling' } });
  expect(tools.flatMap(({ name, needsTask }) => (needsTask ? [name] : []))).toEqual(['task']);
  const shown = await (await fetch(`${app.publicUrl}/mcp/tools`)).text();
  expect([shown.includes('"telling__echo"'), shown.includes('"telling__task"')]).toEqual([true, false]);
  const { manifests } = await admin.listManifests({ query: {} });
  const listed = manifests.find((one) => one.id === 'telling')?.capabilities;
  expect(listed).toMatchObject({ tools: tools.length - 1 });
});

test('an unknown server is not found, and a server that is not deployed has its history', async () => {
  for (const call of [admin.getServerFigures, admin.listServerTools, admin.getServerLog])
    await expect(call({ params: { id: 'nothing' } })).rejects.toMatchObject({ code: 'not_found', status: 404 });
  await useServer();
  await app.catalogue.undeploy(id, { via: 'command' });
  expect(await figures()).toMatchObject({ now: null, month: { calls: 4, users: 2 } });
});
