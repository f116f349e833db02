import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { grantCredits } from '../apps/broker/src/features/billing/index.ts';
import { enrolBroker } from '../apps/broker/src/features/billing/credits/broker-beats.ts';
import { checkLedger } from '../apps/broker/src/features/billing/credits/accounts/check-ledger.ts';
import { createLedger } from '../apps/broker/src/features/billing/credits/create-ledger.ts';
import { grantLeases } from '../apps/broker/src/features/billing/credits/leases/grant-leases.ts';
import { growingLeases } from '../apps/broker/src/features/billing/credits/leases/lease-policy.ts';
import type { LeasePolicy } from '../apps/broker/src/features/billing/credits/leases/lease.ts';
import { settleCalls } from '../apps/broker/src/features/billing/credits/settle/settle-calls.ts';
import { createUsageWriter, ensurePartitions } from '../apps/broker/src/features/usage/index.ts';
import { migrations } from '../apps/broker/src/migrations.ts';
import { systemClock } from '../apps/broker/src/platform/clock.ts';
import type { Database } from '../apps/broker/src/platform/db/database.ts';
import { migrate } from '../apps/broker/src/platform/db/migrate.ts';
import { openDatabase } from '../apps/broker/src/platform/db/open-database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { startPostgresCluster } from '../apps/broker/src/testing/databases/postgres-cluster.ts';
import { UsageError, type Bench } from './bench.ts';
import { markdownTable } from './report/markdown-table.ts';
import { writePerformance } from './report/performance-page.ts';
import { rounded } from './report/statistics.ts';

const usageText = 'ledger [--seconds 2] [--write]';
const livemode = false;
const log = createLog('fatal', process.stderr);
const people = 16;
const given = 1_000_000_000;

type Result = { database: string; clients: number; way: string; callsPerSecond: number; ratio: number };

/** Holds a credit of a person, and charges it. Resolves when the next call may be made. */
type Way = { name: string; call(userId: string): Promise<void>; end(): Promise<void> };

/** Holds and settlements a second: one statement for each of them, holds in batches, and leases that grow. */
export const ledgerBench: Bench = {
  description: 'holds and settlements a second: in batches, and in leases, against one statement for each',
  usage: usageText,
  async run(args) {
    const { values } = parseArgs({
      args: [...args],
      options: { seconds: { type: 'string', default: '2' }, write: { type: 'boolean', default: false } },
    });
    const seconds = Number(values.seconds);
    if (!(seconds >= 0.1 && seconds <= 60)) throw new UsageError(`--seconds: ${values.seconds}`);
    const results: Result[] = [];
    let faults = 0;
    for (const database of findPostgresBinaries() ? ['pglite', 'postgres'] : ['pglite']) {
      await withDatabase(database, async (db) => {
        const users = await giveAll(db);
        for (const clients of [1, 32, 128]) {
          let single: number | undefined;
          for (const start of [oneStatementEach, batched, leased]) {
            const way = await start(db);
            const rate = await rateOf(way, users, clients, seconds);
            single ??= rate;
            results.push({
              database,
              clients,
              way: way.name,
              callsPerSecond: Math.round(rate),
              ratio: rounded(rate / single),
            });
          }
        }
        faults += (await checkLedger(db)).length;
      });
    }
    console.table(results);
    if (values.write && faults === 0)
      writePerformance('Credits', 'npm run bench -- ledger --write', creditsSection(results));
    if (faults > 0) console.log(`WRONG: ${faults} accounts do not add up`);
    console.log(JSON.stringify({ bench: 'ledger', ok: faults === 0, seconds, results }));
    return faults === 0 ? 0 : 1;
  },
};

function creditsSection(results: readonly Result[]): string {
  const head = ['database', 'calls at once', 'way', 'calls/s', 'ratio'];
  const rows = results.map((one) => [one.database, one.clients, one.way, one.callsPerSecond, one.ratio].map(String));
  return `Holds and settlements of credits a second, without the network: by one statement for each, in batches, and in leases that
grow, which the broker uses. What waits to be written at the end belongs to the rate.

${markdownTable(head, rows)}`;
}

async function withDatabase(kind: string, use: (db: Database) => Promise<void>): Promise<void> {
  const dataDir = await mkdtemp(join(tmpdir(), 'souk-bench-'));
  const binaries = findPostgresBinaries();
  const cluster = kind === 'postgres' && binaries ? await startPostgresCluster(binaries) : undefined;
  // the cluster is configured for tests without durability; here a commit must wait as in production
  const databaseUrl = cluster && `${cluster.url}?options=-c%20synchronous_commit%3Don`;
  try {
    const db = await openDatabase({ databaseUrl, dataDir, log, migrations });
    await migrate(db, migrations);
    await ensurePartitions(db, Date.now());
    await use(db).finally(() => db.close());
  } finally {
    await cluster?.stop();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function giveAll(db: Database): Promise<string[]> {
  const users = Array.from({ length: people }, () => randomUUID());
  for (const userId of users) {
    const grant = { userId, livemode, credits: given, source: 'purchased' as const, idem: randomUUID() };
    await db.transaction((query) => grantCredits(query, grant));
  }
  return users;
}

async function rateOf(way: Way, users: readonly string[], clients: number, seconds: number): Promise<number> {
  let calls = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const client = async (index: number) => {
    for (; performance.now() < endsAt; calls++) {
      await way.call(users[index % users.length] ?? '');
      // an answer to its client: other work has its turn
      await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  // what waits to be written belongs to the rate
  await way.end();
  return (calls / (performance.now() - startedAt)) * 1000;
}

async function oneStatementEach(db: Database): Promise<Way> {
  const usage = createUsageWriter({ query: db.query, log });
  const brokerId = randomUUID();
  await enrolBroker(db.query, brokerId);
  return {
    name: 'one statement each',
    async call(userId) {
      const leaseId = randomUUID();
      const ask = { leaseId, userId, need: 1, demand: 1, extra: 0, callId: undefined };
      // a busy account is asked again
      while (!(await grantLeases(db.query, livemode, brokerId, [ask]))[0]?.granted);
      const calls = [{ lease: { id: leaseId }, row: rowOf(userId), isAbort: false }];
      while (!(await settleCalls(db.query, livemode, calls)).users.has(userId));
    },
    end: () => usage.stop(),
  };
}

const batched = (db: Database) => byLedger(db, 'holds in batches', () => 0);
const leased = (db: Database) => byLedger(db, 'leases', growingLeases);

async function byLedger(db: Database, name: string, policy: LeasePolicy): Promise<Way> {
  const usage = createUsageWriter({ query: db.query, log });
  const ledger = await createLedger({ db, livemode, usage, uuid: randomUUID, clock: systemClock, log, policy });
  return {
    name,
    async call(userId) {
      const row = rowOf(userId);
      const held = { callId: row.callId, userId, serverId: 'paid', tool: 'say', credits: 1 };
      let made = await ledger.hold(held);
      for (; made.kind !== 'hold'; made = await ledger.hold(held)) {
        if (made.kind !== 'unavailable') throw new Error(`refused: ${made.kind}`);
        // the database does not keep up
        await ledger.flush();
      }
      made.settle(row);
    },
    async end() {
      await ledger.stop();
      await usage.stop();
    },
  };
}

function rowOf(userId: string) {
  return {
    callId: randomUUID(),
    userId,
    serverId: 'paid',
    kind: 'tool' as const,
    name: 'say',
    outcome: 'ok' as const,
    reason: undefined,
    credits: 1,
    durationMs: 1,
    clientId: 'bench',
    tokenId: 'bench',
    atMs: Date.now(),
  };
}
