import { Pool, types as pgTypes, type ClientConfig, type CustomTypesConfig, type QueryResult } from 'pg';
import type { Log } from '../../log.ts';
import { date, dateArray, int8, int8Array, parseBigint, parseDate } from '../column-types.ts';
import { isDatabaseLost } from '../database-errors.ts';

export type DatabaseLimits = {
  connectMs: number;
  statementMs: number;
  recordMs: number;
  backgroundMs: number;
  startMs: number;
};

/**
 * If the database is unreachable, requests must be answered (503) within 2 s, and charges must continue 5 s after it is back
 * (I11). No user waits for background work, which may wait for locks of other brokers; a start may wait for a database that
 * many brokers begin to use.
 */
export const databaseLimits: DatabaseLimits = {
  connectMs: 1500,
  statementMs: 1800,
  recordMs: 4000,
  backgroundMs: 10_000,
  startMs: 60_000,
};

/** Long, because a new connection plans the functions of the ledger anew. */
const idleMs = 60_000;

const textArray: number = 1009;
const textArrayParser = pgTypes.getTypeParser(textArray, 'text');
const parseTextArray = (text: string): (string | null)[] => textArrayParser(text);
const parsers = new Map<number, (text: string) => unknown>([
  [int8, parseBigint],
  [date, parseDate],
  [int8Array, (text) => parseTextArray(text).map((item) => (item === null ? null : parseBigint(item)))],
  [dateArray, parseTextArray],
]);

const types: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    (format === 'binary' ? undefined : parsers.get(oid)) ?? pgTypes.getTypeParser(oid, format),
};

export type PoolOptions = {
  databaseUrl: string;
  log: Log;
  /** Maximum number of connections. */
  size: number;
  connectMs: number;
  /** Time limit of a statement; undefined: none (migrations wait for each other's lock). */
  limitMs?: number | undefined;
};

export function createPool({ databaseUrl, log, size, connectMs, limitMs }: PoolOptions): Pool {
  const pool = new Pool({
    ...connectionOptions(databaseUrl, connectMs),
    max: size,
    idleTimeoutMillis: idleMs,
    // Enforced in the client: an unreachable server cannot enforce statement_timeout, and PgBouncer refuses the parameter.
    ...(limitMs !== undefined && { query_timeout: limitMs }),
  });
  // A broken idle connection is replaced; without a listener, the event would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  pool.on('connect', (client) => client.on('error', () => {})); // the same for a connection in use, whose statement rejects
  return pool;
}

export function connectionOptions(databaseUrl: string, connectMs = databaseLimits.connectMs): ClientConfig {
  return {
    connectionString: databaseUrl,
    application_name: 'souk',
    connectionTimeoutMillis: connectMs,
    keepAlive: true,
    types,
  };
}

/** A client whose connection is closed on release if the database was lost during one of its statements. */
export type PooledClient = {
  query(text: string, values?: readonly unknown[]): Promise<QueryResult>;
  release(destroy?: boolean): void;
};

export async function connect(pool: Pool): Promise<PooledClient> {
  const client = await pool.connect();
  let broken = false;
  return {
    async query(text, values) {
      try {
        const result: QueryResult | QueryResult[] = await client.query(text, values && [...values]);
        return joined(result);
      } catch (error) {
        // A statement that exceeded the time limit still occupies this connection, and the next one would wait for it.
        broken ||= isDatabaseLost(error);
        throw error;
      }
    },
    release: (destroy = false) => client.release(destroy || broken),
  };
}

/** Joins the results of several statements in one text into one, as the embedded database does. */
function joined(result: QueryResult | QueryResult[]): QueryResult {
  if (!Array.isArray(result)) return result;
  const last = result.at(-1);
  if (!last) throw new Error('the database answered no result');
  const rowCount = result.reduce((sum, one) => sum + (one.rowCount ?? 0), 0);
  return { ...last, rowCount, rows: result.flatMap(({ rows }) => rows) };
}
