import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { connectModern, connectV1, type TestClient } from '#testing/people/mcp-clients.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';

const canary = `canary-${crypto.randomUUID()}`;
let app: TestApp;
let ann: TestClient;
let bob: TestClient;
const tokens: string[] = [];

beforeAll(async () => {
  // a secret of the operator's environment, which no tool may show
  process.env['STRIPE_SECRET_KEY_CANARY'] = canary;
  app = await startTestApp({ env: { BRAND_NAME: 'Souk' } });
  const stdio = (command: string) => ({ type: 'stdio', command });
  await deployManifest(app, { id: 'memory', connection: stdio('memory') });
  await deployManifest(app, { id: 'filesystem', slug: 'files', connection: stdio('filesystem'), isolation: 'perUser' });
  await deployManifest(app, { id: 'everything', connection: stdio('everything'), isolation: 'perUser' });
  await deployManifest(app, { id: 'calendar', connection: { type: 'websocket', url: 'service:calendar' } });
  await deployManifest(app, { id: 'travel', connection: { type: 'http', url: 'service:travel' } });
  for (const email of ['ann@souk.test', 'bob@souk.test']) {
    tokens.push((await app.identity.createPersonalToken({ email, name: 'test' })).token);
  }
  ann = await connectModern(`${app.publicUrl}/mcp`, tokens[0] ?? '');
  bob = await connectV1(`${app.publicUrl}/mcp`, tokens[1] ?? '');
});
afterAll(async () => {
  delete process.env['STRIPE_SECRET_KEY_CANARY'];
  await ann?.close();
  await bob?.close();
  await app?.stop();
});

async function callText(client: TestClient, name: string, args: Record<string, unknown> = {}): Promise<string> {
  const result = await client.callTool({ name, arguments: args });
  return JSON.stringify(result);
}

test("users do not see each other's data in a program whose manifest does not mention isolation: memory", async () => {
  const entities = [{ name: 'Ann_secret', entityType: 'thing', observations: ['only for Ann'] }];
  expect(await callText(ann, 'memory__create_entities', { entities })).not.toContain('"isError":true');
  expect(await callText(ann, 'memory__read_graph')).toContain('only for Ann');
  expect(await callText(bob, 'memory__read_graph')).not.toContain('Ann');
  expect(await callText(bob, 'memory__search_nodes', { query: 'Ann_secret' })).not.toContain('only for Ann');
});

test("users do not see each other's files: filesystem", async () => {
  const folderOf = async (client: TestClient) =>
    /(\/[^"\\]*files\/filesystem\/[^"\\]*)/.exec(await callText(client, 'files__list_allowed_directories'))?.[1] ?? '';
  const [annDir, bobDir] = [await folderOf(ann), await folderOf(bob)];
  expect(annDir).not.toBe('');
  expect(annDir).not.toBe(bobDir);
  await callText(ann, 'files__write_file', { path: `${annDir}/diary.txt`, content: 'dear diary of Ann' });
  expect(await callText(ann, 'files__read_text_file', { path: `${annDir}/diary.txt` })).toContain('dear diary of Ann');
  for (const path of [`${annDir}/diary.txt`, `${bobDir}/../${annDir.split('/').at(-1)}/diary.txt`, '/etc/passwd']) {
    const answer = await callText(bob, 'files__read_text_file', { path });
    expect(answer).toContain('"isError":true');
    expect(answer).not.toContain('dear diary');
  }
  expect(readFileSync(`${annDir}/diary.txt`, 'utf8')).toContain('dear diary');
});

test("users do not see each other's calendars and itineraries: services that know the user", async () => {
  const event = { title: 'Dentist of Ann', start: '2026-12-01T09:00:00Z', end: '2026-12-01T10:00:00Z' };
  expect(await callText(ann, 'calendar__create_event', event)).not.toContain('"isError":true');
  const window = { from: '2026-11-30T00:00:00Z', to: '2026-12-05T00:00:00Z' };
  expect(await callText(ann, 'calendar__list_events', window)).toContain('Dentist of Ann');
  expect(await callText(bob, 'calendar__list_events', window)).not.toContain('Dentist');
});

test('no environment variable of the broker appears through any tool of any server', async () => {
  const environment = await callText(ann, 'everything__get-env');
  expect(environment).toContain('PATH');
  expect(environment).not.toContain(canary);
  for (const name of Object.keys(process.env).filter(
    (key) => !['PWD', 'PATH', 'HOME', 'LANG', 'NODE_ENV'].includes(key),
  )) {
    expect(environment).not.toContain(`\\"${name}\\"`);
  }
  const { tools } = await ann.listTools();
  for (const { name, inputSchema } of tools) {
    if (/slow|long|round_trip|import|trigger|toggle/.test(name)) continue;
    const args = Object.fromEntries((inputSchema.required ?? []).map((field) => [field, '/proc/self/environ']));
    const answer = await ann.callTool({ name, arguments: args }).catch((error: unknown) => String(error));
    expect(JSON.stringify(answer)).not.toContain(canary);
  }
});

test('a tool that fetches URLs cannot reach this machine', async () => {
  const address = `${app.publicUrl}/mcp/health`;
  const fetched = await callText(ann, 'everything__gzip-file-as-resource', {
    name: 'x',
    data: address,
    outputType: 'resource',
  });
  expect(fetched).toContain('"isError":true');
  const data = { name: 'x', data: 'data:text/plain,hello', outputType: 'resource' };
  expect(await callText(ann, 'everything__gzip-file-as-resource', data)).not.toContain('"isError":true');
});

test('simultaneous calls of two users each get their own answer', async () => {
  const say = (client: TestClient, text: string) => callText(client, 'everything__echo', { message: text });
  // as many as each may run concurrently: more would wait for a slot, and be refused as busy on a slow machine
  const answers = await Promise.all(
    Array.from({ length: 32 }, async (_, index) => {
      const mine = index % 2 === 0 ? ann : bob;
      const text = `${index % 2 === 0 ? 'ann' : 'bob'}-${index}`;
      return { text, answer: await say(mine, text) };
    }),
  );
  for (const { text, answer } of answers) expect(answer).toContain(`${text}"`);
});

test('each user has a separate process, started on first use', async () => {
  for (const client of [ann, bob]) {
    for (const tool of ['memory__read_graph', 'files__list_allowed_directories']) await callText(client, tool);
  }
  expect(app.upstreams.pool.stdioPids('memory')).toHaveLength(2);
  expect(app.upstreams.pool.stdioPids('filesystem')).toHaveLength(2);
});
