import { randomUUID } from 'node:crypto';
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
import { systemClock } from '../apps/broker/src/platform/clock.ts';
import type { Database } from '../apps/broker/src/platform/db/database.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';
import { findPostgresBinaries } from '../apps/broker/src/testing/databases/postgres-binaries.ts';
import { UsageError, type Bench } from './bench.ts';
import { durable, withDatabase } from './parts/with-database.ts';
import { markdownTable } from './report/markdown-table.ts';
import { writePerformance } from './report/performance-page.ts';
import { rounded } from './report/statistics.ts';

const usageText = 'ledger [--seconds 2] [--write]';
const livemode = false;
const log = createLog('fatal', process.stderr);
const people = 16;
const given = 1_000_000_000;

type Result = { database: string; clients: number; method: string; callsPerSecond: number; ratio: number };

/** Method to hold and settle a credit. `call` resolves when the next call may be made. */
type Method = { name: string; call(userId: string): Promise<void>; end(): Promise<void> };

/** Compares holds and settlements per second: with one statement each, in batches, and with growing leases. */
export const ledgerBench: Bench = {
  description: 'holds and settlements per second in batches and in leases, compared with one statement each',
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
      const measure = async (db: Database) => {
        await ensurePartitions(db, Date.now());
        results.push(...(await measureDatabase(db, database, seconds)));
        faults += (await checkLedger(db)).length;
      };
      await withDatabase(database, (db) => measure(db).finally(() => db.close()), durable);
    }
    console.table(results);
    if (values.write && faults === 0)
      writePerformance('Credits', 'npm run bench -- ledger --write', creditsSection(results));
    if (faults > 0) console.log(`WRONG: ${faults} accounts do not add up`);
    console.log(JSON.stringify({ bench: 'ledger', ok: faults === 0, seconds, results }));
    return faults === 0 ? 0 : 1;
  },
};

async function measureDatabase(db: Database, database: string, seconds: number): Promise<Result[]> {
  const results: Result[] = [];
  const users = await giveAll(db);
  for (const clients of [1, 32, 128]) {
    let single: number | undefined;
    for (const start of [oneStatementEach, batched, leased]) {
      const method = await start(db);
      const rate = await rateOf(method, users, clients, seconds);
      single ??= rate;
      const callsPerSecond = Math.round(rate);
      results.push({ database, clients, method: method.name, callsPerSecond, ratio: rounded(rate / single) });
    }
  }
  return results;
}

function creditsSection(results: readonly Result[]): string {
  const head = ['database', 'concurrent calls', 'method', 'calls/s', 'ratio'];
  const rows = results.map((one) => [one.database, one.clients, one.method, one.callsPerSecond, one.ratio].map(String));
  return `Holds and settlements of credits per second, without the network: with one statement each, in batches, and with growing leases, which
the broker uses. The rate includes the time to write the calls that are left at the end.

${markdownTable(head, rows)}`;
}

async function giveAll(db: Database): Promise<string[]> {
  const users = Array.from({ length: people }, () => randomUUID());
  for (const userId of users) {
    const grant = { userId, livemode, credits: given, source: 'purchased' as const, idem: randomUUID() };
    await db.transaction((query) => grantCredits(query, grant));
  }
  return users;
}

async function rateOf(method: Method, users: readonly string[], clients: number, seconds: number): Promise<number> {
  let calls = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1000;
  const client = async (index: number) => {
    for (; performance.now() < endsAt; calls++) {
      await method.call(users[index % users.length] ?? '');
      // yields, as answering a client would
      await new Promise(setImmediate);
    }
  };
  await Promise.all(Array.from({ length: clients }, (_, index) => client(index)));
  // the rate includes writing what is left
  await method.end();
  return (calls / (performance.now() - startedAt)) * 1000;
}

async function oneStatementEach(db: Database): Promise<Method> {
  const usage = createUsageWriter({ query: db.query, log });
  const brokerId = randomUUID();
  await enrolBroker(db.query, brokerId);
  return {
    name: 'one statement each',
    async call(userId) {
      const leaseId = randomUUID();
      const ask = { leaseId, userId, need: 1, demand: 1, extra: 0, callId: undefined };
      // a busy account is retried
      while (!(await grantLeases(db.query, livemode, brokerId, [ask]))[0]?.granted);
      const calls = [{ lease: { id: leaseId }, row: rowOf(userId), isAbort: false }];
      while (!(await settleCalls(db.query, livemode, calls)).users.has(userId));
    },
    end: () => usage.stop(),
  };
}

const batched = (db: Database) => byLedger(db, 'holds in batches', () => 0);
const leased = (db: Database) => byLedger(db, 'leases', growingLeases);

async function byLedger(db: Database, name: string, policy: LeasePolicy): Promise<Method> {
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
        // the database cannot keep up
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
