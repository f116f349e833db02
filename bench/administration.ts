import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp } from '../apps/broker/src/app.ts';
import { buildWeb } from '../apps/broker/src/build-web.ts';
import type { App } from '../apps/broker/src/app-types.ts';
import { migrations } from '../apps/broker/src/migrations.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import type { Database } from '../apps/broker/src/platform/db/database.ts';
import { migrate } from '../apps/broker/src/platform/db/migrate.ts';
import { openDatabase } from '../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { freePort } from '../apps/broker/src/testing/free-port.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/postgres-binaries.ts';
import { startPostgresCluster } from '../apps/broker/src/testing/postgres-cluster.ts';
import { ScriptedBrowser } from '../apps/broker/src/testing/scripted-browser.ts';
import { UsageError, type Bench } from './bench.ts';
import { measureChanges, type ChangeResult } from './parts/measure-changes.ts';
import { measureScreens, type ScreenResult } from './parts/measure-screens.ts';
import { downAddress, seedManifests, seedTools, seedUsers } from './parts/seed-administration.ts';
import { median, rounded } from './statistics.ts';

const usageText =
  'administration [--users 50000] [--manifests 5000] [--tools 10] [--rounds 21] [--database pglite|postgres|both]';
const log = createLog('fatal', process.stderr);
/** The baseline: what every page of a signed-in person asks for. */
const profile = '/v2/user/profile';

type Result = { database: string; list: string; ms: number; ratio: number; bytes: number };

/** First data of each of the administrator's lists over HTTP and of each screen in a browser, and what a change costs others. */
export const administrationBench: Bench = {
  description: "first data of each of the administrator's lists, against a profile call",
  usage: usageText,
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: {
        users: { type: 'string', default: '50000' },
        manifests: { type: 'string', default: '5000' },
        tools: { type: 'string', default: '10' },
        rounds: { type: 'string', default: '21' },
        database: { type: 'string', default: 'both' },
      },
    });
    const [users, manifests, tools, rounds] = [values.users, values.manifests, values.tools, values.rounds].map(Number);
    if (!isCount(users) || !isCount(manifests) || !isCount(tools) || !isCount(rounds))
      throw new UsageError('counts are whole numbers from 1');
    const databases = values.database === 'both' ? ['pglite', 'postgres'] : [values.database];
    const results: Result[] = [];
    const changes: (ChangeResult & { database: string })[] = [];
    const screens: (ScreenResult & { database: string })[] = [];
    for (const database of databases) {
      if (database === 'postgres' && !findPostgresBinaries()) console.log('This machine has no PostgreSQL.');
      else
        await withBroker(database, { users, manifests, tools }, async (get, app, publicUrl) => {
          await measure(database, get, { users, rounds }, results);
          for (const result of await measureScreens(publicUrl, Math.ceil(rounds / 3)))
            screens.push({ database, ...result });
          for (const result of await changeCatalogue(get, app, Math.ceil(rounds / 3)))
            changes.push({ database, ...result });
        });
    }
    console.table(results);
    console.table(screens);
    console.table(changes);
    console.log(
      JSON.stringify({ bench: 'administration', ok: true, users, manifests, tools, rounds, results, screens, changes }),
    );
    return 0;
  },
};

const isCount = (value: number | undefined): value is number =>
  value !== undefined && Number.isInteger(value) && value >= 1;

type Get = (path: string) => Promise<{ ms: number; bytes: number }>;

async function measure(
  database: string,
  get: Get,
  { users, rounds }: { users: number; rounds: number },
  results: Result[],
): Promise<void> {
  const lists: Readonly<Record<string, string>> = {
    'users: first page': '/admin/users',
    'users: last page': `/admin/users?page=${Math.ceil(users / 20)}`,
    'users: search, one letter': '/admin/users?search=a',
    'users: search, a first name': '/admin/users?search=anna',
    'users: search, an address': '/admin/users?search=user41999@',
    'users: search, no one': '/admin/users?search=zzzz',
    'users: administrators': '/admin/users?role=admin',
    'users: all but administrators': '/admin/users?role=user',
    'users: deactivated': '/admin/users?active=false',
    'users: with a plan': '/admin/users?plan=pro',
    'users: without a plan': '/admin/users?plan=free',
    'manifests: all of them': '/admin/manifests',
    'manifests: first page': '/admin/manifests?page=1&limit=50',
    'manifests: last page': '/admin/manifests?page=100&limit=50',
    'manifests: search': '/admin/manifests?page=1&limit=50&search=server%204999',
    'manifests: active ones': '/admin/manifests?page=1&limit=50&status=active',
  };
  const taken = new Map<string, number[]>();
  const bytes = new Map<string, number>();
  const note = async (path: string) => {
    const answer = await get(path);
    taken.set(path, [...(taken.get(path) ?? []), answer.ms]);
    bytes.set(path, answer.bytes);
  };
  for (let round = 0; round < rounds; round++) {
    for (const path of Object.values(lists)) {
      await note(profile);
      await note(path);
    }
  }
  const baseMs = median(taken.get(profile) ?? []);
  for (const [list, path] of [['a profile', profile] as const, ...Object.entries(lists)]) {
    const ms = median(taken.get(path) ?? []);
    results.push({ database, list, ms: rounded(ms), ratio: rounded(ms / baseMs, 2), bytes: bytes.get(path) ?? 0 });
  }
}

/** What a change of the catalogue costs those who use the broker meanwhile. */
function changeCatalogue(get: Get, { db, catalogue }: App, rounds: number): Promise<ChangeResult[]> {
  const by = { via: 'command' } as const;
  return measureChanges(
    {
      // every tenth is deployed and has a staged version
      'one is deployed': (round) => catalogue.deploy(`server-${10 * (round + 1)}`, '1.2.0', by),
      'ten are read again': (round) =>
        catalogue.reread(Array.from({ length: 10 }, (_, index) => `server-${2 * (10 * round + index + 1)}`)),
      // as after a lost connection for notices
      'all are read again': () => db.notify('souk_catalogue', ''),
    },
    () => get('/admin/manifests?page=1&limit=50'),
    rounds,
  );
}

async function withBroker(
  kind: string,
  counts: { users: number; manifests: number; tools: number },
  use: (get: Get, app: App, publicUrl: string) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-bench-'));
  const binaries = findPostgresBinaries();
  const cluster = kind === 'postgres' && binaries ? await startPostgresCluster(binaries) : undefined;
  try {
    const config = readConfig({
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      MASTER_KEY: 'k'.repeat(43),
      BUNDLED_CATALOGUE: 'off',
      // only the start asks the servers, which are down
      HEALTH_INTERVAL_MS: '600000',
      LOG_LEVEL: 'fatal',
    });
    const db = await openDatabase({ databaseUrl: cluster?.url, dataDir, log, migrations });
    await migrate(db, migrations);
    await seedManifests(db, counts.manifests);
    await seedTools(db, counts.tools);
    const app = await createApp({
      config,
      log,
      db,
      paths,
      webFolder: await buildWeb(),
      allowAddresses: [downAddress],
    });
    await app.start();
    try {
      const { accessToken } = await new ScriptedBrowser(config.publicUrl).signInWeb({ email: 'admin@souk.test' });
      await seedUsers(db, counts.users);
      await tidy(db, kind === 'postgres' ? 'vacuum analyze' : 'analyze');
      // a change adds a row, and no reaper has been here yet
      await app.identity.reap();
      await use(
        async (path) => {
          const startedAt = performance.now();
          const answer = await fetch(config.publicUrl + path, { headers: { authorization: `Bearer ${accessToken}` } });
          const text = await answer.text();
          if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
          return { ms: performance.now() - startedAt, bytes: text.length };
        },
        app,
        config.publicUrl,
      );
    } finally {
      await app.stop();
    }
  } finally {
    await cluster?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** What autovacuum does by itself within minutes, and an hourly job where there is none. */
async function tidy(db: Database, how: string): Promise<void> {
  for (const table of ['users', 'user_prefixes', 'subscriptions', 'manifest_versions'])
    await db.query(`${how} ${table}`);
}
