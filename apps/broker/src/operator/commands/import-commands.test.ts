import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { startMcpRegistry, type McpRegistry } from '#testing/servers/mcp-registry.ts';
import { startPackageRegistry, type PackageRegistry } from '#testing/servers/package-registry.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { operatorCommands } from './operator-commands.ts';

// `souk registry …` and `souk manifest import` of what registries publish, as an operator types them while a broker
// runs.

let folder: string;
let published: McpRegistry;
let packages: PackageRegistry;
let app: TestApp;
let operator: OperatorServer;

beforeAll(async () => {
  folder = await mkdtemp(join(temporaryRoot(), 'registry-command-'));
  [published, packages] = [await startMcpRegistry(), await startPackageRegistry(folder)];
  app = await startTestApp({ env: withoutHealthChecks, allowAddresses: [published.address] });
  const commands = operatorCommands(app);
  operator = await createOperatorServer({ dataDir: app.dataDir, commands, log: createLog('silent') });
});
afterAll(async () => {
  await operator?.stop();
  await app?.stop();
  await Promise.all([published?.close(), packages?.close()]);
  await rm(folder, { recursive: true, force: true });
});

const souk = (...argv: string[]) => runSouk(argv, { environment: { DATA_DIR: app.dataDir } });
const remote = (version: string) => ({
  name: 'example.harbour/tides',
  version,
  description: 'High and low water.',
  remotes: [
    { type: 'streamable-http', url: 'https://tides.example/mcp', headers: [{ name: 'X-Key', isSecret: true }] },
  ],
});

test('a registry is added, searched, imported from and followed by commands, and removed', async () => {
  expect(await souk('registry', 'list')).toMatchObject({
    code: 0,
    out: 'There is no registry. Add one: npm run souk -- registry add https://registry.modelcontextprotocol.io',
  });
  expect(await souk('registry', 'search', 'tides')).toMatchObject({
    code: 64,
    err: expect.stringMatching(/^there is no registry/),
  });
  expect(await souk('registry', 'add', 'http://registry.example')).toMatchObject({
    code: 1,
    err: expect.stringContaining('UPSTREAM_ALLOW_ADDRESSES=registry.example:80'),
  });
  const host = new URL(published.url).host;
  expect(await souk('registry', 'add', published.url)).toEqual({ code: 0, out: `Added ${host}.`, err: '' });
  expect((await souk('registry', 'rename', host, '--name', 'Harbour')).out).toBe(`Renamed ${host} to Harbour.`);
  published.publish(remote('1.0.0'));
  published.publish({ name: 'example.harbour/old', version: '1.0.0', packages: [] }, { status: 'deprecated' });
  expect((await souk('registry', 'search', 'harbour')).out.split('\n')).toEqual([
    'example.harbour/old 1.0.0  (deprecated)',
    '  cannot be imported: it names neither an address nor a package',
    'example.harbour/tides 1.0.0  (remote)',
  ]);
  expect(await souk('registry', 'import', 'example.harbour/tides', 'example.harbour/old', '--reason', 'tried')).toEqual(
    {
      code: 1,
      err: '',
      out: `example.harbour/tides: staged as example-harbour-tides 1.0.0
  Its header X-Key is optional: take it out of "auth" where you have no value for it.
  Give the broker its secrets: UPSTREAM_HEADER_EXAMPLE_HARBOUR_TIDES__X_KEY (or each with _FILE), and restart it.
  Deploy it with: npm run souk -- manifest deploy example-harbour-tides
example.harbour/old: not staged
  it names neither an address nor a package`,
    },
  );
  expect((await souk('registry', 'list')).out).toBe(`Harbour  ${published.url}  1 imported`);
  expect((await souk('registry', 'updates')).out).toBe('No new version of 1 imported servers.');
  published.publish(remote('1.1.0'));
  expect((await souk('registry', 'updates')).out).toBe(
    'example-harbour-tides  1.0.0 -> 1.1.0  (example.harbour/tides)',
  );
  // the named version, and not the newest
  published.publish(remote('1.2.0'));
  expect((await souk('registry', 'import', 'example.harbour/tides@1.1.0')).out).toContain(
    'staged as example-harbour-tides 1.1.0\n  version: 1.0.0 -> 1.1.0\n',
  );
  published.fail('html');
  expect(await souk('registry', 'search', 'tides')).toMatchObject({
    code: 1,
    err: 'The broker refused: Harbour cannot be read: it answered text/html instead of JSON: it is not a registry with API v0.1',
  });
  published.fail(undefined);
  expect((await souk('registry', 'remove', 'Harbour')).out).toBe('Removed Harbour.');
  const { rows } = await app.db.query(
    "select action, details->>'via' as via from audit_log where action like 'registry.%' or reason = 'tried' order by id",
  );
  expect(rows.map((row) => Object.values(row).join(' '))).toEqual([
    'registry.added command',
    'registry.renamed command',
    'manifest.staged command',
    'registry.removed command',
  ]);
});

test('a command writes a server.json as a manifest, its package at the version that npm has', async () => {
  const document = {
    name: 'io.github.small-things/small',
    description: 'Says its process id.',
    version: '1.4.0',
    packages: [{ registryType: 'npm', identifier: '@souk-test/small', transport: { type: 'stdio' } }],
  };
  const { host } = new URL(packages.url);
  const imported = await runSouk(['manifest', 'import', '-', '--to', join(folder, 'own')], {
    environment: { DATA_DIR: app.dataDir, NPM_CONFIG_REGISTRY: packages.url, UPSTREAM_ALLOW_ADDRESSES: host },
    stdin: async () => Buffer.from(JSON.stringify(document)),
  });
  expect(imported).toMatchObject({ code: 0, err: '' });
  expect(imported.out).toContain('"npm": "@souk-test/small@1.0.0"');
  expect(JSON.parse(await readFile(join(folder, 'own', 'io-github-small-things-small.json'), 'utf8'))).toEqual({
    id: 'io-github-small-things-small',
    name: 'small',
    serviceType: 'mcp',
    version: '1.4.0',
    description: 'Says its process id.',
    registryName: 'io.github.small-things/small',
    category: 'api',
    connection: { type: 'stdio', command: 'io-github-small-things-small' },
    isolation: 'perUser',
  });
});
