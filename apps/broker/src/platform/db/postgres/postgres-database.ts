import { Kysely, PostgresDialect, type PostgresPoolClient } from 'kysely';
import type { Pool } from 'pg';
import type { Log } from '../../log.ts';
import type { Database } from '../database.ts';
import { statementKind } from '../background-work.ts';
import { createNestingGuard, type NestingGuard } from '../nesting-guard.ts';
import { createLiveBrokers } from '../live-brokers.ts';
import { createListener } from './postgres-listener.ts';
import { connect, createPool, databaseLimits, type DatabaseLimits } from './postgres-pool.ts';
import { createQuery, runSnapshot, runTransaction, type RunStatement } from '../run-transaction.ts';

export const defaultPoolSize = 10;

/** Few, because a start runs its statements sequentially. */
const startConnections = 4;

/** Few, because usage and charges are written in batches. */
const recordConnections = 2;

/** Returns the number of connections for background work: a quarter, so that most are left for users. */
export function backgroundShare(size: number): number {
  return Math.max(1, Math.floor(size / 4));
}

/**
 * Connects to PostgreSQL.
 * @param options.poolSize connections for statements; records and maintenance have two more each, notices one
 * @throws if it is unreachable (`isDatabaseLost`) or refuses the connection
 */
export async function openPostgresDatabase(options: {
  databaseUrl: string;
  /** The address for the notices' connection, if the other address is a pooler's. */
  listenUrl?: string | undefined;
  poolSize?: number | undefined;
  limits?: DatabaseLimits | undefined;
  /** Gives statements the time limit of a start until `started` is called. */
  isStarting?: boolean | undefined;
  log: Log;
}): Promise<Database> {
  const { databaseUrl, listenUrl = databaseUrl, poolSize = defaultPoolSize, limits = databaseLimits, log } = options;
  const { connectMs, statementMs, recordMs, backgroundMs, startMs } = limits;
  const forBackground = backgroundShare(poolSize);
  const people = createPool({ databaseUrl, log, size: poolSize - forBackground, connectMs, limitMs: statementMs });
  // these wait for a connection as long as for a statement
  const createPatient = (size: number, ms: number) =>
    createPool({ databaseUrl, log, size, connectMs: ms, limitMs: ms });
  const background = createPatient(forBackground, backgroundMs);
  const record = createPatient(recordConnections, recordMs);
  const maintenancePool = createPool({ databaseUrl, log, size: 2, connectMs });
  const pools = { person: people, background, record };
  const atStart = createPool({ databaseUrl, log, size: startConnections, connectMs: startMs, limitMs: startMs });
  let { isStarting = false } = options;
  const pool = () => (isStarting ? atStart : pools[statementKind()]);
  const guard = createNestingGuard();
  const run: RunStatement = async (text, values) => {
    guard.refuseInside();
    return onClient(pool(), (runHere) => runHere(text, values));
  };
  const query = createQuery(run);
  const listener = createListener(listenUrl, log, query);
  const sum = (of: (pool: Pool) => number) => of(people) + of(background) + of(record);
  let closing: Promise<void> | undefined;
  const close = async () => {
    await listener.close();
    await Promise.all([...Object.values(pools), maintenancePool, atStart].map((each) => each.end()));
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
    deliveredUntilMs: listener.deliveredUntilMs,
    isUnheard: listener.isUnheard,
    notify: async (channel, payload) => void (await query('select pg_notify($1, $2)', [channel, payload])),
    brokers: createLiveBrokers(query, log),
    connections: () => ({
      used: sum((each) => each.totalCount - each.idleCount),
      idle: sum((each) => each.idleCount),
      waiting: sum((each) => each.waitingCount),
    }),
    started() {
      // the connections of the start close once they are idle
      isStarting = false;
    },
    close: () => (closing ??= close()),
  };
  try {
    // finds out quickly whether the database is reachable, even at a start
    await onClient(people, (runHere) => runHere('select 1', []));
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
