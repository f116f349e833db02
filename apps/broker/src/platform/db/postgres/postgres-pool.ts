import { Pool, types as pgTypes, type ClientConfig, type CustomTypesConfig, type QueryResult } from 'pg';
import type { Log } from '../../log.ts';
import { date, dateArray, int8, int8Array, parseBigint, parseDate } from '../column-types.ts';
import { isDatabaseLost } from '../database-errors.ts';

/** How long connections and statements may take, in milliseconds. */
export type DatabaseLimits = { connectMs: number; statementMs: number; backgroundMs: number; startMs: number };

/**
 * An unreachable database must cause an answer (503) within 2 s. No person waits for work in the background, which may wait
 * for the locks of other brokers; a start may wait for a database that many brokers begin to use.
 */
export const databaseLimits: DatabaseLimits = {
  connectMs: 1500,
  statementMs: 1800,
  backgroundMs: 10_000,
  startMs: 60_000,
};

/** A new connection plans the functions of the ledger anew. */
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
  /** Connections at most. */
  size: number;
  connectMs: number;
  /** How long a statement may take; undefined: without a limit (migrations wait for each other's lock). */
  limitMs?: number | undefined;
};

export function createPool({ databaseUrl, log, size, connectMs, limitMs }: PoolOptions): Pool {
  const pool = new Pool({
    ...connectionOptions(databaseUrl, connectMs),
    max: size,
    idleTimeoutMillis: idleMs,
    // In the client: an unreachable server cannot enforce its statement_timeout, and PgBouncer refuses the parameter.
    ...(limitMs !== undefined && { query_timeout: limitMs }),
  });
  // A broken idle connection is just replaced; without a listener, the event would end the process.
  pool.on('error', (error) => log.warn({ err: error }, 'an idle database connection was lost'));
  pool.on('connect', (client) => client.on('error', () => {})); // the same while it is in use: its statement rejects
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
        // A statement that exceeded the time limit still occupies this connection; the next one would wait behind it.
        broken ||= isDatabaseLost(error);
        throw error;
      }
    },
    release: (destroy = false) => client.release(destroy || broken),
  };
}

/** Several statements in one text give several results: their rows together, as the embedded database answers them. */
function joined(result: QueryResult | QueryResult[]): QueryResult {
  if (!Array.isArray(result)) return result;
  const last = result.at(-1);
  if (!last) throw new Error('the database answered no result');
  const rowCount = result.reduce((sum, one) => sum + (one.rowCount ?? 0), 0);
  return { ...last, rowCount, rows: result.flatMap(({ rows }) => rows) };
}
