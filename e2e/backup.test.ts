import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { checkLedger } from '../apps/broker/src/features/billing/index.ts';
import {
  connectNotes,
  signInPerson,
  type TestPerson,
} from '../apps/broker/src/features/upstreams/sign-in/testing/person.ts';
import { openDatabase } from '../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { connectModern } from '../apps/broker/src/testing/people/mcp-clients.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { startPostgresCluster, type PostgresCluster } from '../apps/broker/src/testing/databases/postgres-cluster.ts';
import { atFullSize, printFigure } from '../apps/broker/src/testing/figures/proof-size.ts';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { percentile, startPayingClients, watchCalls } from './backup/paying-clients.ts';
import { findOtherUser, giveFolder, type OtherUser } from './other-user.ts';
import { newDataDir, runToEnd, startProduct, type Product } from './product.ts';
import { untilAllConnected } from './until-all-connected.ts';

// The whole product is backed up while users pay for calls, and continues from the archive in another folder, as
// another user of the machine and on the other kind of database: once there, and at full size back again.

const binaries = findPostgresBinaries();
if (binaries === undefined)
  process.stderr.write('SKIPPED: PostgreSQL is not installed: that a shop moves to it is not proved\n');
const moves = atFullSize({ full: ['PostgreSQL', 'PGlite'], short: ['PostgreSQL'] } as const);
const callsBefore = atFullSize({ full: 5_000, short: 200 });
const unlimited = {
  MCP_CALLS_PER_MINUTE_TOKEN: '1000000',
  MCP_CALLS_PER_MINUTE_USER: '1000000',
  MCP_REQUESTS_PER_MINUTE_TOKEN: '1000000',
};

/** Place of the shop: its configuration, and the user of the machine; undefined for the user who runs the tests. */
type Place = { env: NodeJS.ProcessEnv; user: OtherUser | undefined };

describe.skipIf(binaries === undefined)('a backup of the whole product', () => {
  let cluster: PostgresCluster;
  let product: Product;
  let place: Place;
  let ann: TestPerson;
  let token: string;
  const folders: string[] = [];

  beforeAll(async () => {
    cluster = await startPostgresCluster(binaries ?? '');
    const dataDir = await newFolder();
    place = { env: { DATA_DIR: dataDir }, user: undefined };
    product = await startProduct({ dataDir, env: unlimited, welcomes: true });
    await untilAllConnected(product.publicUrl);
    ann = await signInPerson(product.publicUrl, 'ann@souk.test');
    await connectNotes(ann, 'Ann');
    token = (await souk('token', 'create', '--email', 'ann@souk.test', '--name', 'moves')).stdout.trim();
    await souk('credits', 'set', '--email', 'ann@souk.test', '--credits', '1000000');
  });
  afterAll(async () => {
    await product?.kill('SIGTERM');
    await cluster?.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
  });

  async function newFolder(): Promise<string> {
    const folder = await newDataDir();
    folders.push(folder);
    return folder;
  }
  const souk = (...args: string[]) => runToEnd(['apps/broker/src/operator/souk.ts', ...args], place.env, place.user);

  /** Creates an empty place of the other kind, of another user of this machine if there is one. */
  async function newPlace(kind: (typeof moves)[number]): Promise<Place> {
    const folder = await newFolder();
    const user = await findOtherUser();
    if (user) await giveFolder(folder, user);
    return { env: { DATA_DIR: folder, ...(kind === 'PostgreSQL' && { DATABASE_URL: cluster.url }) }, user };
  }

  test('[I13] taken while calls are paid, it continues elsewhere: every charge, sign-in, account and secret is there', async () => {
    const masterKey = (await readFile(join(place.env['DATA_DIR'] ?? '', 'master.key'), 'utf8')).trim();
    for (const kind of moves) {
      const folder = await newFolder();
      if (place.user) await giveFolder(folder, place.user);
      const file = join(folder, 'souk.tar.zst');
      const load = startPayingClients(product.publicUrl, token);
      await waitUntil('calls to be paid', () => load.done.length >= callsBefore);
      const watched = await watchCalls(load, () => souk('backup', file));
      const { result: taken, before } = watched;
      await load.stop();
      expect(taken, taken.output).toMatchObject({ code: 0 });
      expect(await product.kill('SIGTERM')).toBe(0);
      const during = watched.during();

      const { env, user } = await newPlace(kind);
      // it belongs to the owner, who hands it over
      if (user) await giveFolder(folder, user);
      const withKey = { ...env, MASTER_KEY: masterKey };
      const restored = (...more: string[]) =>
        runToEnd(['apps/broker/src/operator/souk.ts', 'restore', file, ...more], withKey, user);
      const checked = await restored('--check');
      expect(checked, checked.output).toMatchObject({ code: 0 });
      const [said = '', secrets = '0'] = /secrets that open with this key: (\d+)/.exec(checked.output) ?? [];
      expect(Number(secrets), said).toBeGreaterThan(3);
      const whole = await restored();
      expect(whole, whole.output).toMatchObject({ code: 0 });

      place = { env: withKey, user };
      const db = await openDatabase({
        databaseUrl: env['DATABASE_URL'],
        dataDir: env['DATA_DIR'] ?? '',
        log: createLog('silent'),
      });
      expect(await checkLedger(db)).toEqual([]);
      const charged = await db.query<{ call_id: string }>(
        `select unnest(calls) as call_id from ledger_entries where contra = 'usage'`,
      );
      const noted = await db.query<{ note: string }>('select to_jsonb(n)::text as note from credit_ended_calls n');
      await db.close();
      const notes = noted.rows.map(({ note }) => note).join(' ');
      const ids = new Set(charged.rows.map(({ call_id }) => call_id));
      expect(before.filter(({ callId }) => !ids.has(callId) && !notes.includes(callId))).toEqual([]);

      // the check above ran as the user of the tests
      if (user) await giveFolder(env['DATA_DIR'] ?? '', user);
      const port = Number(new URL(product.publicUrl).port);
      product = await startProduct({
        dataDir: env['DATA_DIR'] ?? '',
        port,
        env: { ...unlimited, ...withKey },
        welcomes: true,
        ...(user && { user }),
      });
      await untilAllConnected(product.publicUrl);
      expect(await ann.call('GET', '/v2/user/profile'), 'the old session').toMatchObject({ status: 200 });
      const client = await connectModern(`${product.publicUrl}/mcp`, token);
      for (const [name, given] of [
        ['notes__list_tags', {}],
        ['travel__distance', { from: 'LHR', to: 'JFK' }],
      ] as const) {
        // on a busy machine a check may find the server late, and calls are to be retried
        await waitUntil(`${name} to respond`, async () => {
          const called = await client.callTool({ name, arguments: given });
          const code = called.isError ? Object(called._meta)['souk/code'] : 'ok';
          expect(code, JSON.stringify(called)).toMatch(/^(ok|upstream_unavailable)$/);
          return code === 'ok';
        });
      }
      await client.close();
      printFigure(
        `to ${kind}${user ? ', as another user' : ''}: ${taken.stdout.trim().split(': ').at(-1)} in ${watched.seconds.toFixed(1)} s; ` +
          `${ids.size} charges; secrets opened ${secrets}; calls before it p99 ${percentile(before, 0.99)} ms, ` +
          `the ${during.length} during it p99 ${percentile(during, 0.99)} ms`,
      );
    }
  }, 1_200_000);
});
