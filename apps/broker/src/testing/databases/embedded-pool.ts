import { randomBytes } from 'node:crypto';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { pino } from 'pino';
import { systemClock } from '#platform/clock.ts';
import { createChannels } from '#platform/db/channels.ts';
import type { Database, Migration } from '#platform/db/database.ts';
import { createEmbeddedDatabase } from '#platform/db/embedded/embedded-database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { startWorker, type WorkerConnection } from '#platform/db/embedded/worker-connection.ts';
import { createJobs } from '#platform/jobs/create-jobs.ts';
import { scheduleJobs } from '../../app/schedule-jobs.ts';
import type { TestDatabases } from './database-setup.ts';

type Channels = ReturnType<typeof createChannels>;
type Warm = { worker: WorkerConnection; seed: Seed; schemas: string[]; shape: string; hear(channels: Channels): void };

/** Tables as the migrations left them, with the rows that they inserted. */
type Seed = { table: string; rows: string }[];

/** Started and migrated databases that wait for the next test of this process, in any file. */
const idle = new Map<string, Warm[]>();

/**
 * Opens an embedded database in its worker, migrated and otherwise empty. A start takes two seconds of processor time,
 * so closing returns the worker to the pool, and the next test in this process gets it emptied (about 20 ms).
 */
export async function openEmbedded(setup: TestDatabases, migrations: readonly Migration[]): Promise<Database> {
  const key = JSON.stringify(migrations);
  const warm = (await takeIdle(key)) ?? (await start(setup, migrations));
  const channels = createChannels();
  warm.hear(channels);
  let closed = false;
  const lent: WorkerConnection = {
    fsyncCount: warm.worker.fsyncCount,
    async run(text, values) {
      if (closed) throw new Error('this test has closed its database');
      return warm.worker.run(text, values);
    },
    async close() {
      closed = true;
    },
  };
  return createEmbeddedDatabase(
    lent,
    () => {
      const others = idle.get(key);
      if (others) others.push(warm);
      else idle.set(key, [warm]);
    },
    channels,
  );
}

/** Takes a waiting worker, as the migrations left it. A worker whose tables a test has changed is stopped. */
async function takeIdle(key: string): Promise<Warm | undefined> {
  for (let warm = idle.get(key)?.pop(); warm; warm = idle.get(key)?.pop()) {
    const isWhole = await reset(warm).then(
      () => isAsMigrated(warm),
      () => false,
    );
    if (isWhole) return warm;
    await warm.worker.close();
  }
  return undefined;
}

async function isAsMigrated({ worker, shape }: Warm): Promise<boolean> {
  return (await readShape(worker)) === shape;
}

async function start(setup: TestDatabases, migrations: readonly Migration[]): Promise<Warm> {
  const folder = join(setup.folder, `db-${randomBytes(6).toString('hex')}`);
  const image = setup.images.find((each) => each.migrations === JSON.stringify(migrations)) ?? setup.images[0];
  if (!image) throw new Error('there is no database to copy');
  cpSync(image.folder, folder, { recursive: true }); // a thousand files: copying them sequentially takes a third of the time
  let channels = createChannels();
  const worker = await startWorker({ folder, durable: false }, (channel, payload) =>
    channels.deliver(channel, payload),
  );
  const db = createEmbeddedDatabase(worker, () => {});
  await migrate(db, migrations);
  if (image.isWhole) await makeJobs(db);
  const seed: Seed = [];
  for (const { name: table } of await listTables(worker)) {
    const { rows } = await worker.run(`select coalesce(json_agg(t), '[]')::text as rows from ${table} t`, []);
    seed.push({ table, rows: String(rows[0]?.rows) });
  }
  const [schemas, shape] = await Promise.all([listSchemas(worker), readShape(worker)]);
  return { worker, seed, schemas, shape, hear: (next) => (channels = next) };
}

/**
 * Creates the jobs as a broker finds them at every start but its first: the queues exist, and each job waits for its
 * next run. Creating the tables takes 0.3 s and dropping them 0.1 s; the first runs of all jobs would take half of the
 * time of every start.
 */
async function makeJobs(db: Database): Promise<void> {
  const jobs = createJobs({ db, log: pino({ level: 'silent' }) });
  const ran: Promise<void>[] = [];
  const schedule = async (name: string) => {
    const { promise, resolve } = Promise.withResolvers<void>();
    ran.push(promise);
    await jobs.schedule(name, laterSeconds, async () => resolve());
  };
  await scheduleJobs({ schedule }, { db, ...nothingToDo });
  await jobs.start();
  await Promise.all(ran);
  await jobs.stop();
  await db.query("delete from pgboss.job where state = 'completed'");
}

/**
 * Restores what the migrations made: no further schema, table or row, identities from 1, no LISTEN. Rows are deleted
 * where that is faster: truncating a table takes PGlite 7 ms, because it creates new files.
 */
async function reset({ worker, seed, schemas }: Warm): Promise<void> {
  await worker.run('rollback; reset all; unlisten *', []);
  for (const schema of await listSchemas(worker)) {
    if (!schemas.includes(schema)) await worker.run(`drop schema ${schema} cascade`, []);
  }
  const tables = await listTables(worker);
  const known = new Set(seed.map(({ table }) => table));
  const extra = tables.filter(({ name }) => !known.has(name));
  const kept = tables.filter(({ name }) => known.has(name));
  const large = kept.filter(({ bytes }) => bytes > quicklyReadBytes);
  const small = kept.filter(({ bytes, isPartitioned }) => isPartitioned || (bytes > 0 && bytes <= quicklyReadBytes));
  const steps = [
    'begin',
    `set local session_replication_role = replica`, // no triggers, no order among foreign keys
    ...extra.map(({ name }) => `drop table if exists ${name} cascade`),
    large.length > 0 ? `truncate ${large.map(({ name }) => name).join(', ')} cascade` : '',
    ...small.map(({ name }) => `delete from ${name}`),
    'select setval(seqrelid, seqstart, false) from pg_sequence where pg_sequence_last_value(seqrelid) is not null',
    ...seed
      .filter(({ rows }) => rows !== '[]')
      .map(
        ({ table, rows }) =>
          `insert into ${table} overriding system value select * from json_populate_recordset(null::${table}, ${quote(rows)})`,
      ),
    'commit',
  ];
  await worker.run(steps.filter((step) => step !== '').join('; '), []);
}

/** Size of a table's file up to which rows are deleted: deleted rows are read again at each use. */
const quicklyReadBytes = 256 * 1024;

/** Longer than any test run. */
const laterSeconds = 24 * 60 * 60;

const nothing = async () => {};
/** Handlers that do nothing: here the jobs only get their names. */
const nothingToDo = {
  clock: systemClock,
  backup: undefined,
  imports: { updates: { check: nothing } },
  retention: { removeOld: nothing },
  identity: { rotateKeys: nothing, reap: nothing, notifyExpiringTokens: nothing },
  diagnostics: { reap: nothing },
  billing: {
    livemode: false,
    checkLedger: nothing,
    notifyAhead: nothing,
    payments: {
      reconcileOrders: nothing,
      findMissed: nothing,
      returnFlagged: nothing,
      sendAddresses: nothing,
      events: { removeOld: nothing },
      clawback: { findMissedDisputes: nothing, findMissedRefunds: nothing },
      subscriptions: {
        retryReadings: nothing,
        returnOwed: nothing,
        reconcile: nothing,
        endRevoked: nothing,
        endWanted: nothing,
        endUnoffered: nothing,
      },
      clearings: { clearDue: nothing },
      refunds: { payDue: nothing },
      moves: { processDue: nothing },
    },
  },
  gateway: { removeExpiredSessions: nothing },
  notices: { sendDue: nothing, removeOld: nothing },
  checkAlerts: nothing,
  upstreams: { signIn: { removeExpired: nothing } },
};

type Table = { name: string; isPartitioned: boolean; bytes: number };

async function listTables(worker: WorkerConnection): Promise<Table[]> {
  const { rows } = await worker.run(
    `select oid::regclass::text as name, relkind = 'p' as partitioned, pg_relation_size(oid)::int as bytes from pg_class
      where relkind in ('r', 'p') and not relispartition and oid >= ${firstOwnOid} order by 1`,
    [],
  );
  return rows.map(({ name, partitioned, bytes }) => ({
    name: String(name),
    isPartitioned: partitioned === true,
    bytes: Number(bytes),
  }));
}

/** Reads columns, triggers and functions, which `reset` does not restore. Partitions come and go with the date. */
async function readShape(worker: WorkerConnection): Promise<string> {
  const { rows } = await worker.run(
    `select concat_ws(' ',
      (select sum(hashtextextended(attrelid || attname || atttypid || attnotnull, 0)) from pg_attribute
        join pg_class c on c.oid = attrelid
        where c.oid >= ${firstOwnOid} and relkind in ('r', 'p') and not relispartition and attnum > 0 and not attisdropped),
      (select sum(hashtextextended(tgrelid || tgname, 0)) from pg_trigger where not tgisinternal),
      (select sum(hashtextextended(pronamespace || proname || prosrc, 0)) from pg_proc where oid >= ${firstOwnOid})
    ) as shape`,
    [],
  );
  return String(rows[0]?.['shape']);
}

/** PostgreSQL's FirstNormalObjectId: objects with a lower number came with the database. */
const firstOwnOid = 16_384;

async function listSchemas(worker: WorkerConnection): Promise<string[]> {
  const { rows } = await worker.run(
    "select oid::regnamespace::text as name from pg_namespace where nspname !~ '^pg_'",
    [],
  );
  return rows.map(({ name }) => String(name));
}

function quote(text: string): string {
  return `'${text.replaceAll("'", "''")}'`;
}
