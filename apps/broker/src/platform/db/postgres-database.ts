import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import { createNestingGuard, type NestingGuard } from './nesting-guard.ts';
import { createListener } from './postgres-listener.ts';
import { connect, createPool } from './postgres-pool.ts';
import { createQuery, runTransaction, type RunStatement } from './run-transaction.ts';

/**
 * Connects to PostgreSQL.
 * @throws when it cannot be reached or refuses the connection (`isDatabaseLost` tells the first)
 */
export async function openPostgresDatabase({ databaseUrl, log }: { databaseUrl: string; log: Log }): Promise<Database> {
  const pool = createPool({ databaseUrl, log });
  const maintenancePool = createPool({ databaseUrl, log, size: 2, limited: false });
  const listener = createListener(databaseUrl, log);
  const guard = createNestingGuard();
  const run: RunStatement = async (text, values) => {
    guard.refuseInside();
    return onClient(pool, (runHere) => runHere(text, values));
  };
  const query = createQuery(run);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await listener.close();
    await Promise.all([pool.end(), maintenancePool.end()]);
  };
  const db: Database = {
    engine: 'postgresql',
    kysely: createKysely(pool, guard),
    maintenance: createKysely(maintenancePool, guard),
    query,
    async transaction(work) {
      guard.refuseInside();
      return guard.inside(() => onClient(pool, (runHere) => runTransaction(runHere, work)));
    },
    listen: (channel, handler) => listener.listen(channel, handler),
    heardUntilMs: () => listener.heardUntilMs(),
    notify: async (channel, payload) => void (await query('select pg_notify($1, $2)', [channel, payload])),
    connections: () => ({
      used: pool.totalCount - pool.idleCount,
      idle: pool.idleCount,
      waiting: pool.waitingCount,
    }),
    close: () => (closing ??= close()),
  };
  try {
    await query('select 1');
  } catch (error) {
    await db.close();
    throw error;
  }
  return db;
}

async function onClient<T>(pool: Pool, work: (run: RunStatement) => Promise<T>): Promise<T> {
  const client = await connect(pool);
  try {
    return await work(async (text, values) => {
      const { rows, rowCount, command } = await client.query(text, values);
      return { rows, affectedRows: rowCount ?? 0, command };
    });
  } finally {
    client.release();
  }
}

function createKysely(pool: Pool, guard: NestingGuard): Kysely<Record<never, never>> {
  return new Kysely({
    dialect: new PostgresDialect({
      pool: {
        // Kysely's type also wants the form of `query` that takes a cursor; it is used only where one is configured.
        connect: async () => {
          guard.refuseInside();
          return (await connect(pool)) as unknown as PostgresPoolClient;
        },
        end: async () => {}, // the Database owns the pool
        options: pool.options,
      },
    }),
  });
}
