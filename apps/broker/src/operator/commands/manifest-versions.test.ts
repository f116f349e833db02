import { randomBytes } from 'node:crypto';
import { mkdtemp, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { createPostgresDatabase, hasPostgres, temporaryRoot } from '#testing/databases/databases.ts';
import { startHttpFixture, type HttpFixture } from '#testing/servers/mcp-fixture.ts';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { operatorCommands } from './operator-commands.ts';

// The operator's commands on versions: the same use cases as the administrator's calls.

let app: TestApp;
let operator: OperatorServer;
let server: HttpFixture;

beforeAll(async () => {
  app = await startTestApp({ env: { UPSTREAM_ALLOW_ADDRESSES: '127.0.0.0/8' } });
  operator = await createOperatorServer({
    dataDir: app.dataDir,
    commands: operatorCommands(app),
    log: createLog('silent'),
  });
  server = await startHttpFixture();
});
afterAll(async () => {
  await operator?.stop();
  await app?.stop();
  await server?.close();
});

const soukIn = (environment: NodeJS.ProcessEnv, argv: readonly string[]) =>
  runSouk(['manifest', ...argv], { environment });
const souk = (...argv: string[]) => soukIn({ DATA_DIR: app.dataDir }, argv);

async function file(folder: string, change: object): Promise<string> {
  const path = join(folder, `${randomBytes(6).toString('hex')}.json`);
  const common = { id: 'lens', name: 'Lens', serviceType: 'mcp', version: '1.0.0', description: 'A server.' };
  const connection = { type: 'http', url: server.url };
  await writeFile(path, JSON.stringify({ ...common, category: 'data', connection, ...change }));
  return path;
}

test('a manifest is staged, shown, compared, deployed and deleted by command, as in the browser', async () => {
  const stage = async (change: object, ...more: string[]) => souk('stage', await file(app.dataDir, change), ...more);
  expect(await stage({}, '--reason', 'from the vendor')).toEqual({
    code: 0,
    out: 'Staged lens 1.0.0. Deploy it with: npm run souk -- manifest deploy lens',
    err: '',
  });
  expect((await stage({})).out).toBe('lens 1.0.0 is staged or deployed already.');
  expect(await stage({ id: 'Lens' })).toMatchObject({ code: 1, out: expect.stringContaining('id: must be 1 to 63') });
  expect(app.catalogue.snapshot().byId.has('lens')).toBe(false);
  await souk('deploy', 'lens');
  const billing = { tier: 'T1', rental: { price: 500 }, toolCosts: { echo: 3 } };
  const { out: staged } = await stage({ version: '1.1.0', billing }, '--json');
  const { revision } = JSON.parse((await souk('show', 'lens', '--json')).out);
  expect(revision).toMatch(/./);
  expect(JSON.parse(staged)).toEqual({ id: 'lens', version: '1.1.0', result: 'staged', revision });

  const shown = JSON.parse((await souk('show', 'lens')).out);
  expect(shown).toMatchObject({ id: 'lens', version: '1.1.0', billing });
  expect(JSON.parse((await souk('show', 'lens', '--version', '1.0.0')).out)).toMatchObject({ version: '1.0.0' });
  expect(JSON.parse((await souk('show', 'lens', '--json')).out)).toMatchObject({
    listed: { deployedVersion: '1.0.0', stagedVersion: '1.1.0' },
    nextVersion: '1.1.1',
  });
  const inMinutes = (column: string) => `to_char(${column} at time zone 'UTC', 'YYYY-MM-DD HH24:MI') as ${column}`;
  const { rows: stored } = await app.db.query<{ created_at: string; deployed_at: string }>(
    `select ${inMinutes('created_at')}, ${inMinutes('deployed_at')} from manifest_versions
     where server_id = 'lens' order by version`,
  );
  const [first, second] = stored;
  const { out: table } = await souk('versions', 'lens');
  expect(table.split('\n').map((line) => line.split(/\s{2,}/))).toEqual([
    ['VERSION', 'STATUS', 'CREATED (UTC)', 'DEPLOYED (UTC)', 'STAGED BY', 'REASON'],
    ['1.1.0', 'staging', second?.created_at, '-', 'command'],
    ['1.0.0', 'deployed', first?.created_at, first?.deployed_at, 'command', 'from the vendor'],
  ]);

  const { out: diff } = await souk('diff', 'lens');
  expect(diff).toContain('  price of `echo`: 3 credits a call\n');
  expect(diff).toContain('What deploying 1.1.0 does:\n  People with a plan of tier T1 (Basic) or above may use it.');
  const named = await souk('diff', 'lens', '--from-version', '1.1.0', '--to-version', '1.0.0', '--json');
  expect(JSON.parse(named.out)).toMatchObject({
    from: '1.1.0',
    to: '1.0.0',
    differences: expect.arrayContaining([
      expect.objectContaining({ path: 'billing.tier', text: 'tier: removed (was T1 (Basic))' }),
    ]),
    people: { renters: 0, users: 0 },
  });
  expect((await souk('diff', 'lens', '--from-version', '7')).err).toContain('No version 7 of lens');

  expect((await souk('delete', 'lens', '--reason', 'the vendor closes')).out).toBe(
    'Deleted lens. Its versions are kept: npm run souk -- manifest versions lens',
  );
  expect(app.catalogue.snapshot().byId.has('lens')).toBe(false);
  expect((await souk('delete', 'lens')).err).toContain(
    'lens is neither deployed nor staged, so there is nothing to delete.',
  );
  const { rows } = await app.db.query(`select action, reason from audit_log where subject = 'lens' order by id`);
  expect(rows).toEqual([
    { action: 'manifest.staged', reason: 'from the vendor' },
    { action: 'manifest.deployed', reason: null },
    { action: 'manifest.staged', reason: null },
    { action: 'manifest.deleted', reason: 'the vendor closes' },
  ]);
});

test('several servers are deleted with one command, which ends at the first one that is refused', async () => {
  for (const id of ['one', 'two', 'three']) await souk('stage', await file(app.dataDir, { id }));
  const deleted = await souk('delete', 'one', 'two', '--reason', 'the vendor closes');
  expect(deleted).toEqual({
    code: 0,
    out: ['one', 'two']
      .map((id) => `Deleted ${id}. Its versions are kept: npm run souk -- manifest versions ${id}`)
      .join('\n'),
    err: '',
  });
  expect(await souk('delete', 'two', 'three')).toMatchObject({
    code: 1,
    err: expect.stringContaining('two is neither'),
  });
  const { out } = await souk('delete', 'three', '--json');
  expect(JSON.parse(out)).toEqual({ id: 'three', renters: 0 });
  expect((await souk('delete')).code).toBe(64);
  const { rows } = await app.db.query(
    `select subject, reason from audit_log where action = 'manifest.deleted' and subject in ('one', 'two') order by id`,
  );
  expect(rows).toEqual(['one', 'two'].map((subject) => ({ subject, reason: 'the vendor closes' })));
});

describe.skipIf(!hasPostgres())('on a machine where no broker runs', () => {
  test('a command says so, works on the database, and keeps its standard output clean', async () => {
    const folder = await mkdtemp(join(temporaryRoot(), 'operator-'));
    const environment = {
      DATA_DIR: folder,
      DATABASE_URL: await createPostgresDatabase(),
      MASTER_KEY: randomBytes(32).toString('base64url'),
      UPSTREAM_ALLOW_ADDRESSES: '127.0.0.0/8',
    };
    const note = 'No broker runs on this machine: the command works on the database of DATABASE_URL itself.';
    const staged = await soukIn(environment, ['stage', await file(folder, {}), '--json']);
    expect(staged.err).toBe(note);
    expect(JSON.parse(staged.out)).toMatchObject({ id: 'lens', result: 'staged' });
    const listed = await soukIn(environment, ['list', '--json']);
    expect(listed.err).toBe(note);
    expect(JSON.parse(listed.out)).toMatchObject({ running: false, servers: [{ id: 'lens', staged: '1.0.0' }] });
  });
});
