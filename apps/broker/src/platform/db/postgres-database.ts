import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';
import type { Log } from '../log.ts';
import type { Database } from './database.ts';
import { isInBackground } from './background-work.ts';
import { createNestingGuard, type NestingGuard } from './nesting-guard.ts';
import { createLiveBrokers } from './live-brokers.ts';
import { createListener } from './postgres-listener.ts';
import { backgroundTimeoutMs, connect, createPool, statementTimeoutMs } from './postgres-pool.ts';
import { createQuery, runSnapshot, runTransaction, type RunStatement } from './run-transaction.ts';

/** Without DATABASE_POOL_SIZE. */
export const defaultPoolSize = 10;

/** How many of the connections are for work in the background: a quarter, so that room is left for people. */
export function backgroundShare(size: number): number {
  return Math.max(1, Math.floor(size / 4));
}

/**
 * Connects to PostgreSQL.
 * @param options.poolSize connections for statements; two for maintenance and one for notices come on top
 * @throws when it cannot be reached or refuses the connection (`isDatabaseLost` tells the first)
 */
export async function openPostgresDatabase(options: {
  databaseUrl: string;
  /** For the one connection that notices come on, where the other address is a pooler's. */
  listenUrl?: string | undefined;
  poolSize?: number | undefined;
  log: Log;
}): Promise<Database> {
  const { databaseUrl, listenUrl = databaseUrl, poolSize = defaultPoolSize, log } = options;
  const forBackground = backgroundShare(poolSize);
  const people = createPool({ databaseUrl, log, size: poolSize - forBackground, limitMs: statementTimeoutMs });
  const background = createPool({ databaseUrl, log, size: forBackground, limitMs: backgroundTimeoutMs });
  const maintenancePool = createPool({ databaseUrl, log, size: 2 });
  const pool = () => (isInBackground() ? background : people);
  const guard = createNestingGuard();
  const run: RunStatement = async (text, values) => {
    guard.refuseInside();
    return onClient(pool(), (runHere) => runHere(text, values));
  };
  const query = createQuery(run);
  const listener = createListener(listenUrl, log, query);
  const sum = (of: (pool: Pool) => number) => of(people) + of(background);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await listener.close();
    await Promise.all([people.end(), background.end(), maintenancePool.end()]);
  };
  const db: Database = {
    engine: 'postgresql',
    kysely: createKysely(pool, guard),
    maintenance: createKysely(() => maintenancePool, guard),
    query,
    async transaction(work) {
      guard.refuseInside();
      return guard.inside(() => onClient(pool(), (runHere) => runTransaction(runHere, work)));
    },
    async snapshot(work) {
      guard.refuseInside();
      return guard.inside(() => onClient(maintenancePool, (runHere) => runSnapshot(runHere, work)));
    },
    listen: listener.listen,
    heardUntilMs: listener.heardUntilMs,
    isUnheard: listener.isUnheard,
    notify: async (channel, payload) => void (await query('select pg_notify($1, $2)', [channel, payload])),
    brokers: createLiveBrokers(query, log),
    connections: () => ({
      used: sum((each) => each.totalCount - each.idleCount),
      idle: sum((each) => each.idleCount),
      waiting: sum((each) => each.waitingCount),
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

function createKysely(pool: () => Pool, guard: NestingGuard): Kysely<Record<never, never>> {
  return new Kysely({
    dialect: new PostgresDialect({
      pool: {
        // Kysely's type also wants the form of `query` that takes a cursor; it is used only where one is configured.
        connect: async () => {
          guard.refuseInside();
          return (await connect(pool())) as unknown as PostgresPoolClient;
        },
        end: async () => {}, // the Database owns the pool
        options: pool().options,
      },
    }),
  });
}
