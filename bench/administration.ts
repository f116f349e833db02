import { randomBytes } from 'node:crypto';
import { parseArgs } from 'node:util';
import { createApp } from '../apps/broker/src/app.ts';
import { buildWeb } from '../apps/broker/src/web-app/build-web.ts';
import type { App } from '../apps/broker/src/app-types.ts';
import { paths } from '../apps/broker/src/paths.ts';
import { readConfig } from '../apps/broker/src/platform/config.ts';
import type { Database } from '../apps/broker/src/platform/db/database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { analyzeLists } from '../apps/broker/src/app/schedule-jobs.ts';
import { freePort } from '../apps/broker/src/testing/network/free-port.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { countOf, type Bench } from './bench.ts';
import { withDatabase } from './parts/with-database.ts';
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
/** Baseline: the call that every page of a signed-in user makes. */
const profile = '/v2/user/profile';

type Counts = Record<'users' | 'manifests' | 'tools' | 'calls' | 'entries', number>;
type Result = { database: string; list: string; ms: number; ratio: number; bytes: number };

/**
 * Measures the administrator's lists over HTTP, their screens in a browser, and the effect of catalogue changes on other
 * requests.
 */
export const administrationBench: Bench = {
  description: "time to the first data of each of the administrator's lists, compared with a profile call",
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
    const counts = {
      users: countOf(values.users),
      manifests: countOf(values.manifests),
      tools: countOf(values.tools),
      calls: countOf(values.calls),
      entries: countOf(values.entries),
    };
    const rounds = countOf(values.rounds);
    const databases = values.database === 'both' ? ['pglite', 'postgres'] : [values.database];
    const results: Result[] = [];
    const changes: (ChangeResult & { database: string })[] = [];
    const screens: (ScreenResult & { database: string })[] = [];
    for (const database of databases) {
      if (database === 'postgres' && !findPostgresBinaries()) console.log('This machine has no PostgreSQL.');
      else
        await withBroker(database, counts, async (get, app, publicUrl) => {
          const { personId, entryId } = await findBusyPerson(app.db);
          await measure(database, get, administrationLists(counts.users, personId, entryId), rounds, results);
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
        administrationSection(counts, results, screens, changes),
      );
    console.log(JSON.stringify({ bench: 'administration', ok: true, ...counts, rounds, results, screens, changes }));
    return 0;
  },
};

const numberFormat = new Intl.NumberFormat('en-US');

function administrationSection(
  { users, manifests, calls, entries }: Counts,
  results: readonly Result[],
  screens: readonly (ScreenResult & { database: string })[],
  changes: readonly (ChangeResult & { database: string })[],
): string {
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
  return `An administrator's lists, screens and changes with ${numberFormat.format(users)} users, ${numberFormat.format(manifests)} manifests, ${numberFormat.format(calls)} calls and ${numberFormat.format(entries)}
ledger entries. \`ratio\` is against a profile in the same rounds.

${tables.join('\n\n')}`;
}

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

/** Measures how catalogue changes delay concurrent requests. */
function changeCatalogue(get: Get, { db, catalogue }: App, rounds: number): Promise<ChangeResult[]> {
  const by = { via: 'command' } as const;
  return measureChanges(
    {
      // every tenth is deployed and has a staged version
      'one is deployed': (round) => catalogue.deploy(`server-${10 * (round + 1)}`, '1.2.0', by),
      'ten are re-read': (round) =>
        catalogue.reloadEverywhere(Array.from({ length: 10 }, (_, index) => `server-${2 * (10 * round + index + 1)}`)),
      // as after a lost notification connection
      'all are re-read': () => db.notify('souk_catalogue', ''),
    },
    () => get('/admin/manifests?page=1&limit=50'),
    rounds,
  );
}

async function withBroker(
  kind: string,
  counts: Counts,
  use: (get: Get, app: App, publicUrl: string) => Promise<void>,
): Promise<void> {
  await withDatabase(kind, async (db, dataDir) => {
    const config = readConfig({
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      MASTER_KEY: randomBytes(32).toString('base64url'),
      BUNDLED_CATALOGUE: 'off',
      // the bench is a single user
      API_REQUESTS_PER_MINUTE_USER: '100000000',
      API_REQUESTS_PER_MINUTE_ADDRESS: '100000000',
      // the servers are down, so only the start contacts them
      HEALTH_INTERVAL_MS: '600000',
      LOG_LEVEL: 'fatal',
    });
    await seedManifests(db, counts.manifests);
    await seedTools(db, counts.tools);
    const app = await createApp({
      config,
      log: createLog('fatal', process.stderr),
      db,
      paths,
      webFolder: await buildWeb(),
      allowAddresses: [downAddress],
    });
    await app.start();
    try {
      await seedUsers(db, counts.users);
      await seedUse(db, counts);
      // autovacuum does this within minutes, and an hourly job for databases without it
      if (kind === 'postgres') await run(db, 'vacuum analyze');
      else await analyzeLists(db);
      // a change adds a row, and the reaper has not run yet
      await app.identity.reap();
      await use(await getAsAdministrator(config.publicUrl), app, config.publicUrl);
    } finally {
      await app.stop();
    }
  });
}

/** Signs in, again whenever the token has expired, because a run on a busy machine takes longer than its lifetime. */
async function getAsAdministrator(publicUrl: string): Promise<Get> {
  const signIn = () => new ScriptedBrowser(publicUrl).signInWeb({ email: 'admin@souk.test' });
  let { accessToken } = await signIn();
  const ask = async (path: string) => {
    const startedAt = performance.now();
    const answer = await fetch(publicUrl + path, { headers: { authorization: `Bearer ${accessToken}` } });
    const text = await answer.text();
    return { status: answer.status, text, ms: performance.now() - startedAt };
  };
  return async (path) => {
    let answer = await ask(path);
    if (answer.status === 401) {
      ({ accessToken } = await signIn());
      answer = await ask(path);
    }
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${answer.text}`);
    return { ms: answer.ms, bytes: answer.text.length };
  };
}
