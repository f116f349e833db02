import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { give, newPerson } from '#features/billing/entitlement/testing/people.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { createLog } from '#platform/log.ts';
import { connectLegacy, connectModern, type TestClient } from '#testing/people/mcp-clients.ts';
import { fixtureTools, startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { operatorCommands } from '../operator-commands.ts';
import { runSouk } from '#operator/cli/testing/run-souk.ts';

let app: TestApp;
let operator: OperatorServer;
let server: HttpFixture;
let token: string;
let files: string;

beforeAll(async () => {
  app = await startTestApp({ env: { ...withoutHealthChecks, UPSTREAM_ALLOW_ADDRESSES: '127.0.0.0/8' } });
  operator = await createOperatorServer({
    dataDir: app.dataDir,
    commands: operatorCommands(app),
    log: createLog('silent'),
  });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  server = await startHttpFixture();
  files = join(app.dataDir, 'manifests');
  await mkdir(files);
});
afterAll(async () => {
  await operator?.stop();
  await app?.stop();
  await server?.close();
});
const clients: TestClient[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const { id } of app.catalogue.snapshot().servers) await app.catalogue.undeploy(id, { via: 'command' });
  server.setTools(fixtureTools);
});

const souk = (...argv: string[]) => runSouk(['manifest', ...argv], { environment: { DATA_DIR: app.dataDir } });

async function file(manifest: { id: string } & Record<string, unknown>): Promise<string> {
  const path = join(files, `${manifest.id}.json`);
  const common = {
    name: manifest.id,
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'A server.',
    category: 'data',
  };
  await writeFile(path, JSON.stringify({ ...common, connection: { type: 'http', url: server.url }, ...manifest }));
  return path;
}

async function connect(open: (url: string, token: string) => Promise<TestClient>): Promise<TestClient> {
  const client = await open(`${app.publicUrl}/mcp`, token);
  clients.push(client);
  return client;
}

const auditOf = async (id: string) =>
  (
    await app.db.query<{ action: string; details: unknown; reason: string | null }>(
      'select action, details, reason from audit_log where subject = $1 order by id',
      [id],
    )
  ).rows;

test('deploy makes a server on a private address live immediately, undeploy removes it, without a restart', async () => {
  const client = await connect(connectLegacy);
  const notices: string[] = [];
  client.onNotice((method) => notices.push(method));
  const path = await file({ id: 'own', slug: 'own' });

  const deployed = await souk('deploy', path);
  expect(deployed).toMatchObject({ code: 0, err: '' });
  expect(deployed.out).toContain('Deployed own 1.0.0.');
  expect(deployed.out).toContain(`It offers ${fixtureTools.length} tools:`);
  expect(deployed.out).toContain('\n  own__echo\n');
  await waitUntil('the client to be notified', () => notices.includes('notifications/tools/list_changed'));
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('own__echo');
  expect(await client.callTool({ name: 'own__echo', arguments: { text: 'hi' } })).toMatchObject({
    content: [{ text: 'hi' }],
  });
  expect((await souk('list')).out).toMatch(/^own +1\.0\.0 +- +connected +\d+ +http/m);

  notices.length = 0;
  await give(await newPerson(app), 'rental', 'own');
  expect(await souk('undeploy', 'own')).toEqual({
    code: 0,
    out: 'Undeployed own 1.0.0.\n1 person rents it. Rentals are not renewed: they end with the paid period, and nothing is refunded.',
    err: '',
  });
  await waitUntil('the client to be notified', () => notices.includes('notifications/tools/list_changed'));
  expect((await client.listTools()).tools.map(({ name }) => name)).not.toContain('own__echo');
  expect(await client.callTool({ name: 'own__echo', arguments: { text: 'hi' } })).toMatchObject({
    isError: true,
    _meta: { 'souk/code': 'undeployed' },
  });
  expect((await (await fetch(`${app.publicUrl}/mcp/capabilities`)).text()).includes('own')).toBe(false);
  expect((await souk('list')).out).toMatch(/^own +- +- +undeployed \(was 1\.0\.0\)/m);
  expect(await auditOf('own')).toEqual([
    { action: 'manifest.deployed', details: { version: '1.0.0', via: 'command' }, reason: null },
    { action: 'manifest.undeployed', details: { version: '1.0.0', via: 'command', renters: 1 }, reason: null },
  ]);
  // its history is kept: the id is enough to bring it back
  expect((await souk('deploy', 'own')).out).toContain('Deployed own 1.0.0.');
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain('own__echo');
});

test('a call that runs when its server is undeployed finishes, and then nothing of the server stays open', async () => {
  await souk('deploy', await file({ id: 'two' }));
  const client = await connect(connectModern);
  const running = client.callTool({ name: 'two__slow', arguments: { steps: 3, everyMs: 200 } });
  await waitUntil('the call to arrive', () => server.seen.requests.some(({ method }) => method === 'tools/call'));
  expect((await souk('undeploy', 'two')).code).toBe(0);
  expect(await running).toMatchObject({ content: [{ type: 'text' }] });
  server.seen.requests.length = 0;
  app.upstreams.watch.listChanged('two');
  expect(app.upstreams.watch.refresh(['two'])).toEqual([]);
  expect(server.seen.requests).toEqual([]);
});

test('a new version replaces the old one, and an older one is restored by its number', async () => {
  await souk('deploy', await file({ id: 'versions' }));
  expect((await souk('deploy', await file({ id: 'versions', version: '1.1.0' }))).out).toContain(
    'Deployed versions 1.1.0.',
  );
  expect((await souk('deploy', await file({ id: 'versions', version: '1.1.0' }))).out).toContain('deployed already');
  const back = await souk('deploy', 'versions', '--version', '1.0.0', '--json');
  expect(JSON.parse(back.out)).toMatchObject({
    id: 'versions',
    version: '1.0.0',
    result: 'deployed',
    status: 'connected',
  });
  const changed = await souk('deploy', await file({ id: 'versions', version: '1.1.0', description: 'Changed.' }));
  expect((await souk('deploy', 'versions', '--version', '1.0.0')).out).toContain('versions 1.0.0 is deployed already.');
  expect(changed).toMatchObject({ code: 1, err: expect.stringContaining('(description): raise the version') });
  expect((await souk('deploy', 'versions', '--version', '9')).err).toContain('No version 9 of versions');
  expect((await souk('deploy', 'nothing')).err).toContain('There is no manifest of nothing');
});

test('an undeployed server cannot be deleted, and the message does not deny that it has versions', async () => {
  await souk('deploy', await file({ id: 'gone' }));
  await souk('undeploy', 'gone');
  expect((await souk('delete', 'gone')).err).toBe(
    'The broker refused: gone is neither deployed nor staged, so there is nothing to delete. Its versions are kept',
  );
  expect((await souk('delete', 'never')).err).toBe('The broker refused: There is no manifest of never');
});

test('deploy says which price names no tool', async () => {
  const path = await file({ id: 'priced', billing: { tier: 'T0', toolCosts: { eco: 2 } } });
  const { code, out } = await souk('deploy', path);
  expect({ code, lines: out.split('\n').slice(0, 2) }).toEqual({
    code: 0,
    lines: ['Deployed priced 1.0.0.', 'Note: “eco” has a price, and the server does not offer it.'],
  });
});

test('deploy says why a server cannot be used, and keeps trying', async () => {
  const { url, address, close } = await startHttpFixture();
  await close();
  const refused = await souk('deploy', await file({ id: 'dead', connection: { type: 'http', url } }));
  expect(refused.code).toBe(1);
  expect(refused.out).toContain('Deployed dead 1.0.0.');
  expect(refused.out).toContain(
    `The server cannot be used yet: The server cannot be reached (connect ECONNREFUSED ${address}`,
  );
});

test('check prints every problem in words with its field, and deploy refuses the same', async () => {
  const path = await file({
    id: 'bad',
    color: 'red',
    category: 'games',
    connection: { type: 'smtp', url: 'https://a.example' },
    billing: { tier: 'T9' },
    features: ['', 3],
    maxInFlight: 'many',
  });
  const checked = await souk('check', path);
  expect(checked).toMatchObject({ code: 1, err: '' });
  const lines = checked.out.split('\n').map((line) => line.trim());
  expect(lines[0]).toBe(`${path}: 7 problems`);
  expect(new Set(lines.slice(1))).toEqual(
    new Set([
      'color: is not a field of a manifest',
      'category: must be "api", "data" or "productivity"',
      'connection.type: must be "http", "websocket" or "stdio"',
      'billing.tier: must be "T0", "T1", "T2" or "T3"',
      'features[0]: must not be empty',
      'features[1]: must be a string',
      'maxInFlight: must be a whole number',
    ]),
  );
  expect((await souk('deploy', path)).out).toBe(checked.out);
  const elsewhere = await file({ id: 'elsewhere', connection: { type: 'http', url: 'http://10.0.0.5:8080/mcp' } });
  expect((await souk('check', elsewhere)).out).toContain('UPSTREAM_ALLOW_ADDRESSES=10.0.0.5:8080');
  const good = await file({ id: 'good' });
  expect(await souk('check', good)).toEqual({ code: 0, out: `${good}: no problem (good 1.0.0)`, err: '' });
  const unclear = await file({
    id: 'unclear',
    connection: { type: 'http', url: server.url, headers: { 'X-Key': 'x' } },
    billing: { rental: { price: 900, currency: 'usd' } },
  });
  expect((await souk('check', unclear)).out.split('\n').slice(1)).toEqual([
    '  connection.headers: is not a field here: name secrets of headers in auth.headers',
    '  billing.tier: is missing',
    '  billing.rental.currency: must be three capital letters, such as USD',
  ]);
  await writeFile(join(files, 'cut.json'), '{"id": }');
  expect((await souk('check', join(files, 'cut.json'))).out).toContain('is not valid JSON: } is not expected at line ');
  const shared = await file({ id: 'kept', connection: { type: 'stdio', command: 'memory' }, isolation: 'shared' });
  expect((await souk('check', shared)).out).toContain(
    'Note: Everyone shares one folder of the program “memory”: what one person keeps there, all others can read and change.',
  );
  expect((await souk('check', join(files, 'none.json'))).err).toContain('none.json (ENOENT)');
});

test('diff shows tools under review, and approve shows the tool again, unless it has changed since it was read', async () => {
  await souk('deploy', await file({ id: 'drift' }));
  expect((await souk('diff', 'drift')).out).toBe('drift: no tool is under review, and no version is staged.');
  const withRequired = (...required: string[]) =>
    fixtureTools.map((tool) =>
      tool.name === 'echo' || tool.name === 'slow' ? { ...tool, inputSchema: { ...tool.inputSchema, required } } : tool,
    );
  server.setTools(withRequired('text', 'bcc'));
  const own = () => app.catalogue.snapshot().byId.get('drift');
  await waitUntil('the change to be found', () => own()?.toolsUnderReview.length === 2);
  const { out } = await souk('diff', 'drift');
  expect(out).toContain('Tool echo has changed:\n  inputSchema\n    - {');
  expect(out).toMatch(/^ {4}\+ +"bcc"$/m);
  const codeIn = (printed: string) => / --shown (\w+)$/.exec(printed)?.[1] ?? '';
  const shown = codeIn(out);
  expect((await souk('approve', 'drift')).err).toContain(
    '"npm run souk -- manifest diff drift" shows what you approve',
  );
  expect((await souk('approve', 'drift', 'echo', 'nothing', '--shown', shown)).err).toContain(
    'Not under review at drift: nothing',
  );
  // the next discovery finds another change, before the operator has decided
  const lists = { era: undefined, instructions: undefined, prompts: [], resources: [], templates: [] };
  await app.catalogue.storeDiscovery('drift', { ...lists, tools: withRequired('text', 'bcc', 'wipe') });
  expect((await souk('approve', 'drift', 'echo', '--shown', shown)).err).toContain(
    `What is under review at drift has changed since it was shown with the code ${shown}. Read it again: npm run souk -- manifest diff drift`,
  );
  expect(own()?.toolsUnderReview).toHaveLength(2);
  const now = codeIn((await souk('diff', 'drift')).out);
  expect(await souk('approve', 'drift', 'echo', '--shown', now, '--reason', 'as agreed')).toEqual({
    code: 0,
    out: 'Approved echo of drift.',
    err: '',
  });
  // the others stay hidden until they are named, or all are approved
  expect(own()?.toolsUnderReview.map(({ name }) => name)).toEqual(['slow']);
  expect(await auditOf('drift/echo')).toMatchObject([
    { action: 'tool-change.under-review', reason: null },
    { action: 'tool-change.under-review', reason: null },
    { action: 'tool-change.approved', reason: 'as agreed' },
  ]);
  // the remaining tools have another code
  // a rejected tool is approved only by its name
  const [waiting] = (await app.catalogue.pendingTools('drift')).changes;
  await app.catalogue.decideToolChange(waiting?.id ?? 0, { verdict: 'rejected', by: undefined, reason: 'not yet' });
  const hidden = (await souk('diff', 'drift')).out;
  expect(hidden).toMatch(/^Tool slow is kept hidden as it changed:$/m);
  expect(hidden).toMatch(/^Approve with: npm run souk -- manifest approve drift TOOL… --shown \w+$/m);
  expect((await souk('approve', 'drift', '--shown', codeIn(hidden))).err).toContain('No tool of drift is under review');
  const left = codeIn((await souk('diff', 'drift')).out);
  expect((await souk('approve', 'drift', 'slow', '--shown', left)).out).toBe('Approved slow of drift.');
  expect(own()?.toolsUnderReview).toEqual([]);
  expect((await souk('approve', 'drift', '--shown', left)).err).toContain('No tool of drift is under review');
});

test('diff names the secrets that the staged version lacks', async () => {
  const auth = { type: 'headers', headers: [{ name: 'X-Key', from: 'operator' }] };
  await souk('stage', await file({ id: 'lacks', auth }));
  expect((await souk('diff', 'lacks')).out.split('\n')).toContain(
    '1 secret is missing: the server will not answer until it has it. See: npm run souk -- secret list lacks',
  );
});

test('diff shows the differences of a staged version', async () => {
  await souk('deploy', await file({ id: 'next' }));
  const live = app.catalogue.snapshot().byId.get('next')?.manifest;
  if (!live) throw new Error('not deployed');
  const long = 'Other. '.repeat(20).trim();
  await app.catalogue.stage({ ...live, version: '2.0.0', name: 'Next', description: long }, { origin: 'admin' });
  const { out } = await souk('diff', 'next');
  expect(out).toContain('version 2.0.0 is staged, 1.0.0 is deployed. They differ in 3 fields.');
  expect(out).toMatch(/\n {2}name: ".+" -> "Next"\n/);
  expect(out).toContain(`…"\n    - A server.\n    + ${long}`);
  expect((await souk('deploy', 'next')).out).toContain('Deployed next 2.0.0.');
});
