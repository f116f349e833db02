import type { Kysely } from 'kysely';
import type { LiveBrokers } from './share-of.ts';

export type QueryResult<Row> = { rows: Row[]; affectedRows: number };
/**
 * Runs hand-written SQL: hot statements, and those that the query builder cannot express. Several statements in one text
 * (without values) return their rows together. Pass JSON as `JSON.stringify(…)`: `pg` turns an array into a PostgreSQL array.
 */
export type Query = <Row = Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
) => Promise<QueryResult<Row>>;

/**
 * One database with two engines: PGlite in a worker (embedded) or PostgreSQL. The same schema, migrations and SQL run on
 * both, and both return bigint as a number, timestamptz as a Date, json and jsonb parsed.
 */
export type Database = {
  readonly engine: 'pglite' | 'postgresql';
  /** Query builder. A feature names its own tables: `db.kysely.withTables<IdentityTables>()`. */
  readonly kysely: Kysely<Record<never, never>>;
  /** Query builder without the time limit of ordinary statements, for migrations and whole-database jobs. */
  readonly maintenance: Kysely<Record<never, never>>;
  readonly query: Query;
  /** Runs `work` in one transaction, which is rolled back if it throws. Never wait for the network inside. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Runs read-only `work` on a snapshot of the whole database, without the time limit of ordinary statements.
   * The embedded database has one connection, so nothing else runs meanwhile.
   */
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Copies a snapshot of the embedded database's files into `db` in a new folder. */
  copyTo?(folder: string): Promise<void>;
  /**
   * LISTEN, for rare invalidations only. Returns a function that stops listening. After a lost connection (PostgreSQL), each
   * handler is called once with an empty payload: it may have missed something and should refresh everything.
   * @param unheard called every few seconds while the connection brings no notices, as through a pooler
   */
  listen(channel: string, handler: (payload: string) => void, unheard?: () => void): Promise<() => Promise<void>>;
  notify(channel: string, payload: string): Promise<void>;
  /**
   * The moment (`performance.now()`) up to which nothing was missed: all notices committed before it have been delivered.
   * It does not advance while the connection for notices is lost, and is -Infinity before the first notice.
   */
  deliveredUntilMs(): number;
  /** Whether the connection for notices is open but brings none. */
  isUnheard?(): boolean;
  readonly brokers: LiveBrokers;
  /** Why nothing can be written, in a sentence for the operator; undefined if all is well. */
  fault?(): string | undefined;
  /** PostgreSQL's pool: connections in use and idle, and statements that wait for one. */
  connections?(): { used: number; idle: number; waiting: number };
  /** Tells PostgreSQL's pools that the broker has started: from now on statements have the time limit of requests. */
  started?(): void;
  close(): Promise<void>;
};

export type Migration = {
  name: string;
  /** Single statements, since PGlite accepts no multi-statement query with parameters. */
  statements: readonly string[];
  /** Why the last release can do without what this removes: its brokers keep running while new ones start (docs/decisions/0088). */
  takesAway?: string;
};
