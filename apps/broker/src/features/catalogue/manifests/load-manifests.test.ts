import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { readConfig } from '#platform/config.ts';
import { createUpstreamAddressRule } from '#platform/http/outgoing/upstream-address-rule.ts';
import { createLog } from '#platform/log.ts';
import { openTestDatabase, temporaryRoot } from '#testing/databases/databases.ts';
import { readInstallation } from '../../../installation.ts';
import { migrations } from '../../../migrations.ts';
import { paths } from '../../../paths.ts';
import { createCatalogue, type Catalogue } from '../create-catalogue.ts';
import { loadBundledManifests, loadOwnManifests } from './load-manifests.ts';
import type { ManifestPolicy } from './parse-manifest.ts';

const policy: ManifestPolicy = {
  stdioAliases: new Set(),
  services: new Set(),
  addressProblem: createUpstreamAddressRule({ production: false, allowAddresses: [] }),
};

let db: Database;
let catalogue: Catalogue;
let folder: string;
let logged: { level: number; msg: string; file?: string; problem?: { code: string } }[];

beforeEach(async () => {
  db = await openTestDatabase(migrations);
  catalogue = await createCatalogue({ db, clock: systemClock, log: createLog('silent') });
  folder = await mkdtemp(join(temporaryRoot(), 'manifests-'));
  await Promise.all(['deployed', 'staged'].map((name) => mkdir(join(folder, name))));
  logged = [];
});
afterEach(async () => {
  await catalogue.stop();
  await db.close();
  await rm(folder, { recursive: true, force: true });
});

function manifest(id: string, change: object = {}): string {
  return JSON.stringify({
    id,
    name: id,
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'A server.',
    category: 'data',
    connection: { type: 'http', url: `https://${id}.example.com/mcp` },
    ...change,
  });
}

const put = (path: string, text: string) => writeFile(join(folder, path), text);
const log = createLog(
  'info',
  new Writable({
    write(line, _encoding, done) {
      logged.push(JSON.parse(String(line)));
      done();
    },
  }),
);
const load = () =>
  loadBundledManifests(catalogue, { deployed: join(folder, 'deployed'), staged: join(folder, 'staged') }, policy, log);
const loadOwn = () => loadOwnManifests(catalogue, join(folder, 'deployed'), policy, log);
const deployed = () => catalogue.snapshot().servers.map(({ id, manifest: { version } }) => `${id} ${version}`);

test('manifests of deployed/ are live after the start, those of staged/ wait for an administrator', async () => {
  await put('deployed/travel.json', manifest('travel'));
  await put('staged/drive.json', manifest('drive'));
  await load();
  expect(deployed()).toEqual(['travel 1.0.0']);
  expect((await catalogue.versions('drive')).map(({ status }) => status)).toEqual(['staging']);
});

test('a second start changes nothing, and a new version replaces the old one', async () => {
  await put('deployed/travel.json', manifest('travel'));
  await load();
  await load();
  expect(await catalogue.versions('travel')).toHaveLength(1);
  await put('deployed/travel.json', manifest('travel', { version: '1.1.0' }));
  await load();
  expect(deployed()).toEqual(['travel 1.1.0']);
});

test('what an administrator deployed is not replaced by a bundled version', async () => {
  await put('deployed/travel.json', manifest('travel'));
  await load();
  await catalogue.stage(JSON.parse(manifest('travel', { version: '9.0.0' })), { origin: 'admin' });
  await catalogue.deploy('travel', '9.0.0');
  await put('deployed/travel.json', manifest('travel', { version: '1.1.0' }));
  await load();
  expect(deployed()).toEqual(['travel 9.0.0']);
});

test('a broken manifest is left out and named in the log; the others are loaded', async () => {
  await put('deployed/a-broken.json', '{"id":');
  await put('deployed/b-forbidden.json', manifest('b', { connection: { type: 'http', url: 'http://127.0.0.1/mcp' } }));
  await put('deployed/c-twice.json', manifest('c').replace('"name"', '"id":"d","name"'));
  await put('deployed/travel.json', manifest('travel'));
  await load();
  expect(deployed()).toEqual(['travel 1.0.0']);
  const warned = logged.filter(({ level }) => level === 40);
  expect(warned.map(({ file, problem }) => [file, problem?.code])).toEqual([
    ['a-broken.json', 'manifest_invalid'],
    ['c-twice.json', 'manifest_invalid'],
  ]);
  // for what was bundled for others, the operator has nothing to do
  expect(logged.filter(({ level }) => level < 40)).toMatchObject([
    { servers: ['b-forbidden'], msg: 'bundled servers that this installation may not run are left out' },
  ]);
});

test('changed content under an old version is refused, and the deployed content stays', async () => {
  await put('deployed/travel.json', manifest('travel'));
  await load();
  await put('deployed/travel.json', manifest('travel', { description: 'Changed.' }));
  await load();
  expect(catalogue.snapshot().byId.get('travel')?.manifest.description).toBe('A server.');
  expect(logged[0]?.msg).toContain('raise the version');
});

test('every refused manifest is a warning that names the file, the field and the rule in words', async () => {
  await put('deployed/odd.json', manifest('odd', { connection: { type: 'smtp' }, color: 'red' }));
  await put('deployed/local.json', manifest('local', { connection: { type: 'http', url: 'http://127.0.0.1/mcp' } }));
  await loadOwn();
  expect(logged.map(({ level, msg }) => [level, msg])).toEqual([
    [40, expect.stringContaining('local.json is left out: connection.url: must be a public address, or one that')],
    [
      40,
      'the manifest odd.json is left out: connection.type: must be "http", "websocket" or "stdio"; color: is not a field of a manifest',
    ],
  ]);
});

test("an unreadable file of the operator's folder is named, and the others are loaded", async () => {
  await mkdir(join(folder, 'deployed/odd.json'));
  execFileSync('mkfifo', [join(folder, 'deployed/pipe.json')]);
  await symlink('/dev/zero', join(folder, 'deployed/zero.json'));
  await put('deployed/large.json', ' '.repeat(300_000));
  await put('deployed/own.json', manifest('own'));
  await loadOwn();
  expect(deployed()).toEqual(['own 1.0.0']);
  expect(logged.map(({ msg }) => msg)).toEqual([
    'the manifest large.json is left out: is larger than 256 KiB',
    'the manifest odd.json is left out: cannot be read (EISDIR)',
    'the manifest pipe.json is left out: cannot be read (not a file)',
    'the manifest zero.json is left out: cannot be read (not a file)',
  ]);
});

test("a database that fails while the operator's folder is loaded is not reported as an unreadable folder", async () => {
  await put('deployed/own.json', manifest('own'));
  const away = Object.assign(new Error('the database is down'), { code: '57P01' });
  const failing = { ...catalogue, versions: () => Promise.reject(away) };
  await expect(loadOwnManifests(failing, join(folder, 'deployed'), policy, log)).rejects.toThrow(away);
  expect(logged).toEqual([]);
});

test("the operator's folder is deployed; a new version replaces the old one, and a removed file undeploys nothing", async () => {
  await put('deployed/own.json', manifest('own'));
  await loadOwn();
  expect(deployed()).toEqual(['own 1.0.0']);
  await put('deployed/own.json', manifest('own', { version: '1.1.0' }));
  await loadOwn();
  expect(deployed()).toEqual(['own 1.1.0']);
  await rm(join(folder, 'deployed/own.json'));
  await loadOwn();
  expect(deployed()).toEqual(['own 1.1.0']);
  await loadOwnManifests(catalogue, join(folder, 'nowhere'), policy, log);
  expect(logged.map(({ msg }) => msg)).toEqual([`CATALOGUE_DIR cannot be read: ${join(folder, 'nowhere')} (ENOENT)`]);
});

test('a server that was undeployed or rolled back stays so at the next start, although its file is still there', async () => {
  await put('deployed/own.json', manifest('own'));
  await put('deployed/travel.json', manifest('travel'));
  for (const start of [loadOwn, load]) await start();
  await catalogue.undeploy('own', { via: 'command' });
  await catalogue.undeploy('travel', { via: 'command' });
  await put('deployed/own.json', manifest('own', { version: '1.1.0' }));
  await put('deployed/travel.json', manifest('travel', { version: '1.1.0' }));
  for (const start of [loadOwn, load]) await start();
  expect(deployed()).toEqual([]);
  await catalogue.deploy('own', '1.1.0');
  await catalogue.deploy('own', '1.0.0');
  await loadOwn();
  expect(deployed()).toEqual(['own 1.0.0']);
});

test('an upgrade does not bring back a bundled server that was undeployed', async () => {
  await put('deployed/travel.json', manifest('travel'));
  await load();
  await catalogue.undeploy('travel', { via: 'command' });
  await put('deployed/travel.json', manifest('travel', { version: '1.1.0' }));
  await load();
  expect(deployed()).toEqual([]);
});

test('[USR-43] [USR-44] travel, notes and calendar are live services of ours; drive, code host, chat and mail are drafts of the real servers', async () => {
  const { policy: here } = readInstallation(readConfig({}), paths);
  const bundled = { deployed: join(paths.catalogue, 'deployed'), staged: join(paths.catalogue, 'staged') };
  await loadBundledManifests(catalogue, bundled, here, log);
  const { byId } = catalogue.snapshot();
  for (const id of ['travel', 'notes', 'calendar'])
    expect(byId.get(id)?.manifest.connection, id).toMatchObject({ url: `service:${id}` });
  const drafts = [
    ['google-drive', 'drivemcp.googleapis.com'],
    ['github', 'api.githubcopilot.com'],
    ['slack', 'mcp.slack.com'],
    ['gmail', 'gmailmcp.googleapis.com'],
  ] as const;
  for (const [id, host] of drafts) {
    const [head, ...others] = await catalogue.versions(id);
    expect(head, id).toMatchObject({ status: 'staging', origin: 'bundled', connection: { type: 'http' } });
    expect(others).toEqual([]);
    expect(head?.connection.type === 'http' && new URL(head.connection.url).host).toBe(host);
    expect(byId.has(id), id).toBe(false);
  }
  await catalogue.deploy('github');
  expect(catalogue.snapshot().byId.has('github')).toBe(true);
});
