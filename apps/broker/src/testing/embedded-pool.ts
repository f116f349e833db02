import { randomBytes } from 'node:crypto';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { createChannels } from '#platform/db/channels.ts';
import type { Database, Migration } from '#platform/db/database.ts';
import { createEmbeddedDatabase } from '#platform/db/embedded-database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { startWorker, type WorkerConnection } from '#platform/db/worker-connection.ts';
import type { TestDatabases } from './database-setup.ts';

type Channels = ReturnType<typeof createChannels>;
type Warm = { worker: WorkerConnection; seed: Seed; schemas: string[]; shape: string; hear(channels: Channels): void };

/** Tables as the migrations left them, with the rows that they put there. */
type Seed = { table: string; rows: string }[];

/** Started and migrated, waiting for the next test of this process, of whichever file. */
const idle = new Map<string, Warm[]>();

/**
 * An embedded database in its worker, migrated and otherwise empty. A start takes half a second, so closing hands the worker
 * back, and the next test in this process gets it emptied (some 20 ms).
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

/** A worker that waits, as the migrations left it. One whose tables a test has changed is stopped. */
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
  await cp(image.folder, folder, { recursive: true });
  let channels = createChannels();
  const worker = await startWorker({ folder, durable: false }, (channel, payload) =>
    channels.deliver(channel, payload),
  );
  await migrate(
    createEmbeddedDatabase(worker, () => {}),
    migrations,
  );
  const seed: Seed = [];
  for (const table of await listTables(worker)) {
    const { rows } = await worker.run(`select coalesce(json_agg(t), '[]')::text as rows from ${table} t`, []);
    seed.push({ table, rows: String(rows[0]?.rows) });
  }
  const [schemas, shape] = await Promise.all([listSchemas(worker), readShape(worker)]);
  return { worker, seed, schemas, shape, hear: (next) => (channels = next) };
}

/** Back to what the migrations made: no further schema, table or row, identities from 1, nobody listening. */
async function reset({ worker, seed, schemas }: Warm): Promise<void> {
  await worker.run('rollback; reset all; unlisten *', []);
  for (const schema of await listSchemas(worker)) {
    if (!schemas.includes(schema)) await worker.run(`drop schema ${schema} cascade`, []);
  }
  const extra = (await listTables(worker)).filter((table) => !seed.some((known) => known.table === table));
  const steps = [
    'begin',
    `set local session_replication_role = replica`, // no triggers, no order among foreign keys
    ...extra.map((table) => `drop table if exists ${table} cascade`),
    seed.length > 0 ? `truncate ${seed.map(({ table }) => table).join(', ')} restart identity` : '',
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

async function listTables(worker: WorkerConnection): Promise<string[]> {
  const { rows } = await worker.run(
    `select c.oid::regclass::text as name from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relkind in ('r', 'p') and not c.relispartition and n.nspname not in ('pg_catalog', 'information_schema') order by 1`,
    [],
  );
  return rows.map(({ name }) => String(name));
}

/** Columns, triggers and functions, which `reset` does not restore. Partitions come and go with the date. */
async function readShape(worker: WorkerConnection): Promise<string> {
  const { rows } = await worker.run(
    `with own as (select oid, nspname from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema'),
      tables as (select c.oid, nspname || '.' || relname as name from pg_class c join own n on n.oid = c.relnamespace
        where not relispartition)
    select coalesce(md5(string_agg(line, ',' order by line)), '') as shape from (
      select name || '.' || attname || ' ' || atttypid || ' ' || attnotnull as line
        from tables t join pg_attribute a on a.attrelid = t.oid where attnum > 0 and not attisdropped
      union all select name || ' ' || tgname from tables t join pg_trigger g on g.tgrelid = t.oid where not tgisinternal
      union all select nspname || '.' || proname || ' ' || md5(prosrc) from pg_proc p join own n on n.oid = p.pronamespace
    ) as lines`,
    [],
  );
  return String(rows[0]?.['shape']);
}

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
