import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { createApp } from '../apps/broker/src/app.ts';
import { buildWeb } from '../apps/broker/src/web-app/build-web.ts';
import type { App } from '../apps/broker/src/app-types.ts';
import { migrations } from '../apps/broker/src/migrations.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import type { Database } from '../apps/broker/src/platform/db/database.ts';
import { migrate } from '../apps/broker/src/platform/db/migrate.ts';
import { openDatabase } from '../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { analyzeLists } from '../apps/broker/src/app/schedule-jobs.ts';
import { freePort } from '../apps/broker/src/testing/network/free-port.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { startPostgresCluster } from '../apps/broker/src/testing/databases/postgres-cluster.ts';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { UsageError, type Bench } from './bench.ts';
import { markdownTable } from './report/markdown-table.ts';
import { writePerformance } from './report/performance-page.ts';
import { administrationLists } from './parts/administration-lists.ts';
import { measureChanges, type ChangeResult } from './parts/measure-changes.ts';
import { measureScreens, type ScreenResult } from './parts/measure-screens.ts';
import { downAddress, seedManifests, seedTools, seedUsers } from './parts/seed-administration.ts';
import { seedUse } from './parts/seed-use.ts';
import { busyEmail, run } from './parts/seeding.ts';
import { median, rounded } from './report/statistics.ts';

const usageText =
  'administration [--users 50000] [--manifests 5000] [--tools 10] [--calls 1000000] [--entries 100000] [--rounds 21] [--database pglite|postgres|both] [--write]';
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
        calls: { type: 'string', default: '1000000' },
        entries: { type: 'string', default: '100000' },
        rounds: { type: 'string', default: '21' },
        database: { type: 'string', default: 'both' },
        write: { type: 'boolean', default: false },
      },
    });
    const given = [values.users, values.manifests, values.tools, values.calls, values.entries, values.rounds];
    const [users, manifests, tools, calls, entries, rounds] = given.map(Number);
    if (
      !isCount(users) ||
      !isCount(manifests) ||
      !isCount(tools) ||
      !isCount(calls) ||
      !isCount(entries) ||
      !isCount(rounds)
    )
      throw new UsageError('counts are whole numbers from 1');
    const databases = values.database === 'both' ? ['pglite', 'postgres'] : [values.database];
    const results: Result[] = [];
    const changes: (ChangeResult & { database: string })[] = [];
    const screens: (ScreenResult & { database: string })[] = [];
    for (const database of databases) {
      if (database === 'postgres' && !findPostgresBinaries()) console.log('This machine has no PostgreSQL.');
      else
        await withBroker(database, { users, manifests, tools, calls, entries }, async (get, app, publicUrl) => {
          const { personId, entryId } = await findBusyPerson(app.db);
          await measure(database, get, administrationLists(users, personId, entryId), rounds, results);
          console.table(results.filter((one) => one.database === database));
          for (const result of await measureScreens(publicUrl, personId, Math.ceil(rounds / 3)))
            screens.push({ database, ...result });
          for (const result of await changeCatalogue(get, app, Math.ceil(rounds / 3)))
            changes.push({ database, ...result });
        });
    }
    console.table(screens);
    console.table(changes);
    if (values.write)
      writePerformance(
        'Administration',
        'npm run bench -- administration --write',
        administrationSection({ users, manifests, calls, entries }, results, screens, changes),
      );
    console.log(
      JSON.stringify({
        bench: 'administration',
        ok: true,
        users,
        manifests,
        tools,
        calls,
        entries,
        rounds,
        results,
        screens,
        changes,
      }),
    );
    return 0;
  },
};

const numberFormat = new Intl.NumberFormat('en-US');

function administrationSection(
  counts: { users: number; manifests: number; calls: number; entries: number },
  results: readonly Result[],
  screens: readonly (ScreenResult & { database: string })[],
  changes: readonly (ChangeResult & { database: string })[],
): string {
  const { users, manifests, calls, entries } = counts;
  const tables = [
    markdownTable(
      ['database', 'list', 'ms', 'ratio', 'bytes'],
      results.map((one) => [one.database, one.list, one.ms, one.ratio, one.bytes].map(String)),
    ),
    markdownTable(
      ['database', 'screen', 'first data, ms', 'slowest, ms'],
      screens.map((one) => [one.database, one.screen, one.ms, one.worstMs].map(String)),
    ),
    markdownTable(
      ['database', 'change of the catalogue', 'longest turn, ms', 'slowest page meanwhile, ms'],
      changes.map((one) => [one.database, one.change, one.worstTurnMs, one.worstPageMs].map(String)),
    ),
  ];
  return `An administrator's lists, screens and changes with ${numberFormat.format(users)} people, ${numberFormat.format(manifests)} manifests, ${numberFormat.format(calls)} calls and ${numberFormat.format(entries)}
ledger entries. \`ratio\` is against a profile in the same rounds.

${tables.join('\n\n')}`;
}

const isCount = (value: number | undefined): value is number =>
  value !== undefined && Number.isInteger(value) && value >= 1;

type Get = (path: string) => Promise<{ ms: number; bytes: number }>;

async function measure(
  database: string,
  get: Get,
  lists: Readonly<Record<string, string>>,
  rounds: number,
  results: Result[],
): Promise<void> {
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

async function findBusyPerson(db: Database): Promise<{ personId: string; entryId: string }> {
  const { rows } = await db.query<{ personId: string; entryId: string }>(
    `select user_id as "personId", max(id)::text as "entryId" from ledger_entries
     where user_id = (select id from users where email = $1) group by user_id`,
    [busyEmail],
  );
  const [found] = rows;
  if (!found) throw new Error(`${busyEmail} has no ledger entries`);
  return found;
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
  counts: { users: number; manifests: number; tools: number; calls: number; entries: number },
  use: (get: Get, app: App, publicUrl: string) => Promise<void>,
): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-bench-'));
  const binaries = findPostgresBinaries();
  const cluster = kind === 'postgres' && binaries ? await startPostgresCluster(binaries) : undefined;
  try {
    const config = readConfig({
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      MASTER_KEY: randomBytes(32).toString('base64url'),
      BUNDLED_CATALOGUE: 'off',
      // the bench is one person
      API_REQUESTS_PER_MINUTE_USER: '100000000',
      API_REQUESTS_PER_MINUTE_ADDRESS: '100000000',
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
      await seedUsers(db, counts.users);
      await seedUse(db, counts);
      // what autovacuum does by itself within minutes, and an hourly job where there is none
      if (kind === 'postgres') await run(db, 'vacuum analyze');
      else await analyzeLists(db);
      // a change adds a row, and no reaper has been here yet
      await app.identity.reap();
      const signIn = () => new ScriptedBrowser(config.publicUrl).signInWeb({ email: 'admin@souk.test' });
      let { accessToken } = await signIn();
      const ask = async (path: string) => {
        const startedAt = performance.now();
        const answer = await fetch(config.publicUrl + path, { headers: { authorization: `Bearer ${accessToken}` } });
        const text = await answer.text();
        return { status: answer.status, text, ms: performance.now() - startedAt };
      };
      await use(
        async (path) => {
          let answer = await ask(path);
          if (answer.status === 401) {
            // on a busy machine a run takes longer than a token is good for
            ({ accessToken } = await signIn());
            answer = await ask(path);
          }
          if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
          return { ms: answer.ms, bytes: answer.text.length };
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
