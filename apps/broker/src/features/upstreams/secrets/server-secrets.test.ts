import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { previewDeployAll } from '@souk/contract/admin/manifest-runs.ts';
import { adminSecretEndpoints } from '@souk/contract/admin/secrets.ts';
import { getServerDifferences } from '@souk/contract/admin/servers.ts';
import { createClient, type Client } from '@souk/contract/client.ts';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkManifest } from '#features/catalogue/index.ts';
import { createVault, SealedTextError } from '#platform/crypto/vault.ts';
import { startDemandingServer, type DemandingServer } from '#testing/servers/demanding-server.ts';
import { dumpDatabase } from '#testing/databases/dump-database.ts';
import { connectModern } from '#testing/people/mcp-clients.ts';
import { deployManifest } from '#testing/deploy-manifest.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { createSecretRows } from './secret-rows.ts';
import { manifestText, testingAdministrator } from '../connection-test/testing/testing-administrator.ts';

/** Secrets that administrators enter for a server that requires a header, and for a program that reads a variable. */
const first = 'Bearer canary-header-first-7f31';
const second = 'Bearer canary-header-second-98aa';
const ofProgram = 'canary-variable-41c0\nsecond-line-canary-2b';
const ahead = { ms: 0 };
let server: DemandingServer;
let thief: DemandingServer;
let app: TestApp;
let admin: Awaited<ReturnType<typeof testingAdministrator>>;
let api: Client<typeof adminSecretEndpoints>;
let token: string;

const auth = { type: 'headers', headers: [{ name: 'X-Key', from: 'operator' }] };
const header = () => ({ kind: 'header' as const, name: 'X-Key', place: server.url });
const variable = { kind: 'variable' as const, name: 'API_TOKEN', place: 'program:chatty' };
const set = (id: string, body: Parameters<typeof api.setServerSecret>[0]['body']) =>
  api.setServerSecret({ params: { id }, body });

beforeAll(async () => {
  server = await startDemandingServer('x-key', { accept: [first, second, 'of-the-operator'] });
  thief = await startDemandingServer('x-key');
  const program = join(import.meta.dirname, '../../../testing/servers/small-stdio.ts');
  const stdioAllowlist = join(temporaryRoot(), `secrets-${process.pid}.json`);
  const entry = { argv: ['{node}', program], reads: [program], secrets: ['API_TOKEN'] };
  await writeFile(stdioAllowlist, JSON.stringify({ chatty: entry, greedy: entry }));
  app = await startTestApp({
    paths: { stdioAllowlist },
    allowAddresses: [server.address, thief.address],
    env: {
      ...withoutHealthChecks,
      UPSTREAM_HEADER_GIVEN__X_KEY: 'of-the-operator',
      UPSTREAM_HEADER_GIVEN__B__X_KEY: 'shared',
    },
    clock: { now: () => Date.now() + ahead.ms },
  });
  admin = await testingAdministrator(app.publicUrl);
  api = createClient(adminSecretEndpoints, { baseUrl: app.publicUrl, fetch, token: async () => admin.accessToken });
  ({ token } = await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' }));
  await deployManifest(app, { id: 'keyed', connection: { type: 'http', url: server.url }, auth }, 'error');
  const connection = { type: 'stdio', command: 'chatty' };
  await deployManifest(app, { id: 'chatty', connection, isolation: 'shared' }, 'error');
});
afterAll(async () => {
  await app?.stop();
  await server?.close();
  await thief?.close();
});

async function call(name: string, args: Record<string, unknown> = { text: 'hi' }): Promise<string> {
  const client = await connectModern(`${app.publicUrl}/mcp`, token);
  try {
    return JSON.stringify(await client.callTool({ name, arguments: args }));
  } finally {
    await client.close();
  }
}
const statusOf = (id: string) => app.catalogue.snapshot().byId.get(id)?.status;
const connected = (id: string) => waitUntil(`${id} is connected`, () => statusOf(id) === 'connected');
const listOf = (id: string) => api.listServerSecrets({ params: { id } });

describe('secrets from their first entry to their removal', { shuffle: false }, () => {
  test('a missing secret is named in a text, and is sent with the next call once it is entered', async () => {
    const needed = { ...header(), versions: ['1.0.0'], variable: 'UPSTREAM_HEADER_KEYED__X_KEY' };
    expect(await listOf('keyed')).toEqual({
      success: true,
      needed: [{ ...needed, state: 'missing', boundTo: null, entered: null }],
      unused: [],
    });
    expect(app.upstreams.watch.failureOf('keyed')).toBe(
      "UPSTREAM_HEADER_KEYED__X_KEY is not set, and X-Key was not entered for it under Secrets on the server's page, or by npm run souk -- secret set",
    );
    // a deployment says so beforehand: of one staged server, and among all of them
    const staged = manifestText({ id: 'waits', connection: { type: 'http', url: server.url }, auth });
    await app.catalogue.upload(checkManifest(JSON.parse(staged), app.policy), { via: 'command' });
    const deploying = createClient([getServerDifferences, previewDeployAll] as const, {
      baseUrl: app.publicUrl,
      fetch,
      token: async () => admin.accessToken,
    });
    const missingOf = async (id: string) =>
      (await deploying.getServerDifferences({ params: { id }, query: {} })).missingSecrets;
    const missingOfAll = async () =>
      (await deploying.previewDeployAll()).manifests.map(({ id, missingSecrets }) => [id, missingSecrets]);
    expect([await missingOf('keyed'), await missingOf('waits'), await missingOfAll()]).toEqual([1, 1, [['waits', 1]]]);
    await set('waits', { ...header(), value: first });
    expect([await missingOf('keyed'), await missingOf('waits'), await missingOfAll()]).toEqual([1, 0, [['waits', 0]]]);
    await app.catalogue.deleteManifest('waits', { via: 'command' });
    const at = new Date(Date.now() + ahead.ms).toISOString().slice(0, 10);
    const answer = await set('keyed', { ...header(), name: 'x-key', value: first });
    expect(answer.needed).toMatchObject([{ ...needed, state: 'set', entered: { by: 'admin@souk.test' } }]);
    expect(answer.needed[0]?.entered?.at.slice(0, 10)).toBe(at);
    await connected('keyed');
    expect(await call('keyed__echo')).toContain('"hi"');
    expect(server.sent.at(-1)).toBe(first);
  });

  test('deploy-all counts all servers that lack secrets, and names the first 50 of them', async () => {
    const client = createClient([previewDeployAll] as const, {
      baseUrl: app.publicUrl,
      fetch,
      token: async () => admin.accessToken,
    });
    const ids = Array.from({ length: 52 }, (_, count) => `lacks-${10 + count}`);
    await app.catalogue.together(async () => {
      for (const id of ids) {
        const text = manifestText({ id, connection: { type: 'http', url: server.url }, auth });
        await app.catalogue.upload(checkManifest(JSON.parse(text), app.policy), { via: 'command' });
      }
    });
    const [first = ''] = ids;
    await set(first, { ...header(), value: first });
    const { manifests, serversMissingSecrets, missingSecrets } = await client.previewDeployAll();
    expect([manifests.length, serversMissingSecrets]).toEqual([20, 51]);
    expect(missingSecrets).toEqual(ids.slice(1, 51).map((id) => ({ id, name: id, count: 1 })));
    await app.catalogue.together(async () => {
      for (const id of ids) await app.catalogue.deleteManifest(id, { via: 'command' });
    });
  });

  test('a changed value is used by calls that begin from now on, and a running call ends with the old value', async () => {
    const held = server.hold('tools/call');
    const underWay = call('keyed__echo', { text: 'slowly' });
    const goOn = await held;
    await set('keyed', { ...header(), value: second });
    expect(await call('keyed__echo')).toContain('"hi"');
    expect(server.sent.at(-1)).toBe(second);
    goOn();
    expect(await underWay).toContain('"slowly"');
  });

  test('a program gets the secret entered for its server, and another server with the same program does not', async () => {
    await set('chatty', { ...variable, value: 'canary-variable-before' });
    await connected('chatty');
    const environment = () => call('chatty__look', { files: ['/proc/self/environ'] });
    expect(await environment()).toContain('API_TOKEN=canary-variable-before');
    const [before] = app.upstreams.pool.stdioPids('chatty');
    await set('chatty', { ...variable, value: ofProgram });
    const found = await environment();
    expect(found).toContain('API_TOKEN=canary-variable-41c0');
    expect(found).not.toContain('before');
    expect(app.upstreams.pool.stdioPids('chatty')).not.toContain(before);
    await deployManifest(app, { id: 'other', connection: { type: 'stdio', command: 'chatty' } }, 'error');
    expect(app.upstreams.watch.failureOf('other')).toMatch(
      /^UPSTREAM_ENV_CHATTY__API_TOKEN is not set, and API_TOKEN was not entered/,
    );
  });

  test('lines that a program writes are stored without its secrets, former ones too', async () => {
    await call('chatty__complain', {
      about: 'the-weather',
      old: 'canary-variable-before',
      line: 'second-line-canary-2b',
    });
    const lines = () => app.upstreams.programs.linesOf('chatty').join('\n');
    await waitUntil('it was read', () => lines().includes('the-weather'));
    expect(lines()).toContain('"old":"[redacted]","line":"[redacted]"');
    expect(lines()).not.toContain('canary');
  });

  test("the operator's variable takes precedence, and then no value can be entered", async () => {
    await deployManifest(app, { id: 'given', connection: { type: 'http', url: server.url }, auth });
    expect((await listOf('given')).needed).toMatchObject([{ state: 'environment', entered: null }]);
    expect(server.sent.at(-1)).toBe('of-the-operator');
    await expect(set('given', { ...header(), value: 'mine' })).rejects.toMatchObject({
      code: 'invalid_request',
      message:
        'The operator has set UPSTREAM_HEADER_GIVEN__X_KEY, which takes precedence: a value entered here would not be used.',
    });
  });

  test('an id whose variables could be those of another server has none, and gets an entered value', async () => {
    const id = 'given--b';
    await deployManifest(app, { id, connection: { type: 'http', url: server.url }, auth }, 'unasked');
    expect((await listOf(id)).needed).toMatchObject([{ state: 'missing', variable: null }]);
    await set(id, { ...header(), value: 'mine' });
    await waitUntil('it to be sent', () => server.sent.at(-1) === 'mine');
    expect(server.sent).not.toContain('shared');
  });

  test('a header from the environment is sent only to the first deployed address, also after the server was deleted', async () => {
    const elsewhere = { id: 'given', version: '2.0.0', connection: { type: 'http', url: thief.url }, auth };
    const alone = `UPSTREAM_HEADER_GIVEN__X_KEY is sent only to ${server.url}, and X-Key was not entered for it`;
    const tested = await admin.test({ manifest: manifestText(elsewhere) });
    expect(tested.end).toMatchObject({ result: 'failed', text: expect.stringContaining(alone) });
    await deployManifest(app, elsewhere, 'error');
    expect(app.upstreams.watch.failureOf('given')).toContain(alone);
    expect((await listOf('given')).needed).toMatchObject([
      { place: thief.url, state: 'missing', boundTo: server.url, variable: 'UPSTREAM_HEADER_GIVEN__X_KEY' },
    ]);
    await app.catalogue.deleteManifest('given', { via: 'command' });
    await app.catalogue.upload(
      checkManifest(JSON.parse(manifestText({ ...elsewhere, version: '3.0.0' })), app.policy),
      {
        via: 'command',
      },
    );
    const again = await admin.test({ serverId: 'given' });
    expect(again.end?.text).toContain(alone);
    expect(thief.sent).toEqual([]);
    // a value that an administrator knows may be entered for the other address
    await set('given', { ...header(), place: thief.url, value: 'of-an-administrator' });
    await admin.test({ serverId: 'given' });
    expect(thief.sent).toContain('of-an-administrator');
    expect(thief.sent).not.toContain('of-the-operator');
    await app.catalogue.deleteManifest('given', { via: 'command' });
    thief.sent.length = 0;
  });

  test('a manifest with another address does not get the secret: neither tested, nor staged, nor deployed', async () => {
    const elsewhere = [
      thief.url,
      server.url.replace('/mcp', '/of-another-customer'),
      server.url.replace('http:', 'ws:'),
    ];
    for (const url of elsewhere) {
      const type = url.startsWith('ws:') ? 'websocket' : 'http';
      const manifest = manifestText({ id: 'keyed', version: '6.6.6', connection: { type, url }, auth });
      const before = [...server.sent];
      const tested = await admin.test({ manifest });
      expect(tested.end, url).toMatchObject({ result: 'failed' });
      expect(tested.end?.text, url).toContain('X-Key was not entered for it');
      expect(server.sent, url).toEqual(before);
    }
    const manifest = { id: 'keyed', version: '2.0.0', connection: { type: 'http', url: thief.url }, auth };
    await deployManifest(app, manifest, 'error');
    expect(thief.sent).toEqual([]);
    const { needed, unused } = await listOf('keyed');
    expect(needed).toMatchObject([{ place: thief.url, state: 'missing' }]);
    expect(unused).toMatchObject([{ kind: 'header', name: 'x-key', place: server.url }]);
    // a value entered for the address that was shown is not stored for another
    await expect(set('keyed', { ...header(), value: 'late' })).rejects.toMatchObject({
      code: 'changed_since_shown',
      message: `X-Key now goes to ${thief.url}, not to ${server.url}. Nothing was stored. Check it and try again.`,
    });
    await app.catalogue.deploy('keyed', '1.0.0');
    await connected('keyed');
    expect(server.sent.at(-1)).toBe(second);
    expect(thief.sent).toEqual([]);
  });

  test('a row that is moved to another server, name or place cannot be opened', async () => {
    const vault = createVault(Buffer.alloc(32, 7).toString('base64url'));
    const rows = createSecretRows({ db: app.db, vault });
    const of = { serverId: 'keyed', kind: 'header', name: 'x-other', place: server.url } as const;
    await rows.put(of, 'a value', { operator: 'test' }, new Date(0));
    const row = (await rows.read(['keyed'])).find(({ name }) => name === 'x-other');
    if (!row) throw new Error('no row');
    expect(rows.open(row)).toBe('a value');
    for (const moved of [
      { serverId: 'chatty' },
      { name: 'x-key' },
      { place: thief.url },
      { kind: 'variable' as const },
    ])
      expect(() => rows.open({ ...row, ...moved })).toThrow(SealedTextError);
    // a secret sealed under a key that this broker does not have is reported, and never used
    await waitUntil('the broker has read it', () => app.logged().includes('a secret of a server cannot be read'));
    expect((await listOf('keyed')).unused).toMatchObject([{ name: 'x-other' }]);
    await rows.remove(of, { operator: 'test' }, new Date(0));
  });

  test.each([
    ['a line break', { value: 'a\r\nx-evil: 1' }, 'value: must be one line of plain characters'],
    ['nothing', { value: '' }, 'value: must not be empty'],
    ['4,097 characters', { value: 'x'.repeat(4097) }, 'value: must be at most 4096 characters'],
    [
      'a header that the manifest does not name',
      { name: 'authorization', value: 'a' },
      'keyed does not ask for a secret authorization.',
    ],
    ['a variable', { kind: 'variable' as const, value: 'a' }, 'keyed does not ask for a secret X-Key.'],
  ])('%s is refused for a header', async (_what, change, message) => {
    const body = { ...header(), ...change };
    await expect(set('keyed', body)).rejects.toMatchObject({ status: 400, code: 'invalid_request', message });
  });

  test.each([
    ['NUL', 'a\0b', 'value: must not contain NUL or unpaired surrogates'],
    ['6,001 characters', 'x'.repeat(6001), 'value: must be at most 6000 characters'],
  ])('%s is refused for a variable', async (_what, value, message) => {
    await expect(set('chatty', { ...variable, value })).rejects.toMatchObject({ code: 'invalid_request', message });
  });

  test('a secret that a server refuses and repeats is never shown', async () => {
    await set('keyed', { ...header(), value: 'Bearer canary-refused-5d0e' });
    await waitUntil('the status says so', () => statusOf('keyed') === 'error');
    expect(server.sent.at(-1)).toBe('Bearer canary-refused-5d0e');
    expect(app.upstreams.watch.failureOf('keyed')).toContain('not with [redacted]');
    const tested = await admin.test({ serverId: 'keyed' });
    expect(tested.end?.text).toContain('not with [redacted]');
    expect(JSON.stringify(tested.events)).not.toContain('canary');
    await set('keyed', { ...header(), value: second });
    await connected('keyed');
  });

  test('each change requires a sign-in of the last 15 minutes, and reading the list does not', async () => {
    ahead.ms = 16 * 60_000;
    try {
      const refused = { status: 403, code: 'sign_in_again' };
      await expect(set('keyed', { ...header(), value: 'late' })).rejects.toMatchObject(refused);
      await expect(api.removeServerSecret({ params: { id: 'keyed' }, body: header() })).rejects.toMatchObject(refused);
      expect((await listOf('keyed')).needed).toMatchObject([{ state: 'set' }]);
    } finally {
      ahead.ms = 0;
    }
  });

  test('a removal closes the connections, and the next call says that the service is not set up', async () => {
    // a running discovery still has it
    const held = server.hold('tools/list');
    app.upstreams.watch.refresh(['keyed'], true);
    const goOn = await held;
    await api.removeServerSecret({ params: { id: 'keyed' }, body: header() });
    goOn();
    await waitUntil('the status says so', () => statusOf('keyed') === 'error');
    const before = server.sent.length;
    expect(await call('keyed__echo')).toContain('"isError":true');
    expect(server.sent).toHaveLength(before);
    await expect(api.removeServerSecret({ params: { id: 'keyed' }, body: header() })).rejects.toMatchObject({
      status: 404,
      message: `keyed has no secret x-key for ${server.url}.`,
    });
    await api.removeServerSecret({ params: { id: 'chatty' }, body: variable });
    await waitUntil('its program has ended', () => app.upstreams.pool.stdioPids('chatty').length === 0);
  });

  test('each change of a secret is in the audit log with its administrator', async () => {
    const { rows } = await app.db.query<{ action: string; details: object; subject: string }>(
      `select action, subject, details from audit_log where action like 'secret.%' and actor_id is not null order by id`,
    );
    const of = { kind: 'header', name: 'x-key', place: server.url };
    expect(rows.filter(({ subject }) => subject === 'keyed')).toEqual([
      { action: 'secret.set', subject: 'keyed', details: of },
      ...Array.from({ length: 3 }, () => ({ action: 'secret.replaced', subject: 'keyed', details: of })),
      { action: 'secret.removed', subject: 'keyed', details: of },
    ]);
  });

  test('no value is in the database, the log, or what administrators read', async () => {
    const own = { headers: { authorization: `Bearer ${admin.accessToken}` } };
    const read = async (path: string) => (await fetch(`${app.publicUrl}${path}`, own)).text();
    const pages = ['keyed', 'chatty'].flatMap((id) =>
      ['secrets', 'log', 'figures', 'differences', 'tools'].map((part) => `/admin/servers/${id}/${part}`),
    );
    const shown = await Promise.all([...pages, '/admin/manifests', '/admin/manifests/keyed', '/mcp/info'].map(read));
    expect(shown.join()).toContain('the-weather');
    for (const place of [shown.join(), app.logged(), await dumpDatabase(app.db)]) expect(place).not.toContain('canary');
  });
});
