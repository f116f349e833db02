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
type Warm = { worker: WorkerConnection; seed: Seed; schemas: string[]; hear(channels: Channels): void };

/** Tables as the migrations left them, with the rows that they put there. */
type Seed = { table: string; rows: string }[];

/** Started and migrated, waiting for the next test of this process. */
const idle = new Map<string, Warm[]>();

/**
 * An embedded database in its worker, migrated and otherwise empty. A start takes half a second, so closing hands the worker
 * back, and the next test in this process gets it emptied (some 20 ms).
 */
export async function openEmbedded(setup: TestDatabases, migrations: readonly Migration[]): Promise<Database> {
  const key = JSON.stringify(migrations);
  const waiting = idle.get(key)?.pop();
  const warm = waiting ?? (await start(setup, migrations));
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
  if (waiting) await reset(lent, warm);
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
  return { worker, seed, schemas: await listSchemas(worker), hear: (next) => (channels = next) };
}

/** Back to what the migrations made: no further schema, table or row, identities from 1, nobody listening. */
async function reset(worker: WorkerConnection, { seed, schemas }: Warm): Promise<void> {
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
