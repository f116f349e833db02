import { createHash, randomBytes } from 'node:crypto';
import { Client } from 'pg';
import { pino } from 'pino';
import type { Database, Migration } from '#platform/db/database.ts';
import { migrate } from '#platform/db/migrate.ts';
import { openPostgresDatabase } from '#platform/db/postgres/postgres-database.ts';

const templatePrefix = 'souk_test_template_';
/** Limits for a busy machine, which may need seconds for what usually takes one. */
export const patientLimits = {
  connectMs: 600_000,
  statementMs: 600_000,
  recordMs: 600_000,
  backgroundMs: 600_000,
  startMs: 600_000,
};
/** Lock under which one process creates a template while the others wait. */
const templateLock = 7_236_801;

/**
 * Opens a fresh database with these migrations on the server of `serverUrl`: a copy of a template that is migrated once
 * per run. Closing it drops it.
 */
export async function openFromTemplate(serverUrl: string, migrations: readonly Migration[]): Promise<Database> {
  const databaseUrl = await createDatabase(serverUrl, migrations);
  const name = new URL(databaseUrl).pathname.slice(1);
  const db = await openPostgresDatabase({ databaseUrl, limits: patientLimits, log: pino({ level: 'silent' }) });
  let closing: Promise<void> | undefined;
  const close = async () => {
    await db.close();
    await withClient(serverUrl, (client) => client.query(`drop database if exists ${name} with (force)`));
  };
  return { ...db, close: () => (closing ??= close()) };
}

/** Creates a fresh database, empty or with these migrations, for tests that open it themselves. @returns its address */
export async function createDatabase(serverUrl: string, migrations?: readonly Migration[]): Promise<string> {
  const template = migrations ? await ensureTemplate(serverUrl, migrations) : 'template0';
  const name = `souk_test_${randomBytes(6).toString('hex')}`;
  await withClient(serverUrl, (client) => client.query(`create database ${name} template ${template} ${quickly}`));
  return urlOf(serverUrl, name);
}

/** Removes the templates from a server that outlives the tests. */
export async function dropTemplates(serverUrl: string): Promise<void> {
  await withClient(serverUrl, async (client) => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [templatePrefix],
    );
    for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`);
  });
}

async function ensureTemplate(serverUrl: string, migrations: readonly Migration[]): Promise<string> {
  const key = createHash('sha256').update(JSON.stringify(migrations)).digest('hex').slice(0, 16);
  const name = `${templatePrefix}${key}`;
  if (made.has(name)) return name;
  await withClient(serverUrl, async (client) => {
    await client.query('select pg_advisory_lock($1)', [templateLock]);
    const { rowCount } = await client.query('select 1 from pg_database where datname = $1', [name]);
    if (rowCount) return;
    const draft = `${name}_draft`;
    await client.query(`drop database if exists ${draft} with (force)`);
    await client.query(`create database ${draft} template template0`);
    const db = await openPostgresDatabase({
      databaseUrl: urlOf(serverUrl, draft),
      limits: patientLimits,
      log: pino({ level: 'silent' }),
    });
    await migrate(db, migrations).finally(() => db.close());
    await client.query(`alter database ${draft} rename to ${name}`);
  });
  made.add(name);
  return name;
}

/** Takes half of the processor time of the default, which writes each block to the log. */
const quickly = 'strategy file_copy';

/** Templates that this process knows to exist. */
const made = new Set<string>();

function urlOf(serverUrl: string, database: string): string {
  const url = new URL(serverUrl);
  url.pathname = `/${database}`;
  return url.href;
}

async function withClient<T>(url: string, work: (client: Client) => Promise<T>): Promise<T> {
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    return await work(client);
  } finally {
    await client.end();
  }
}
