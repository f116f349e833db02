import type { Kysely } from 'kysely';
import type { LiveBrokers } from './share-of.ts';

/**
 * Hand-written statements: the hot ones, and those that the query builder cannot express. Several in one text (without
 * values) answer their rows together. Give JSON as `JSON.stringify(…)`: `pg` turns an array into a PostgreSQL array.
 */
export type QueryResult<Row> = { rows: Row[]; affectedRows: number };
export type Query = <Row = Record<string, unknown>>(
  text: string,
  values?: readonly unknown[],
) => Promise<QueryResult<Row>>;

/**
 * One database, two engines: PGlite in a worker (embedded) or PostgreSQL. The same schema, migrations and SQL run on both;
 * bigint comes back as a number on both, timestamptz as a Date, json and jsonb parsed.
 */
export type Database = {
  readonly engine: 'pglite' | 'postgresql';
  /** Query builder. A feature names its own tables: `db.kysely.withTables<IdentityTables>()`. */
  readonly kysely: Kysely<Record<never, never>>;
  /** The same without the time limit of ordinary statements: migrations and whole-database jobs. */
  readonly maintenance: Kysely<Record<never, never>>;
  readonly query: Query;
  /** Runs `work` in one transaction; rolled back when it throws. Never wait for the network inside. */
  transaction<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /**
   * Runs `work` on one moment of the whole database, without the time limit of ordinary statements. It reads only.
   * The embedded database has one connection: nothing else runs meanwhile.
   */
  snapshot<T>(work: (query: Query) => Promise<T>): Promise<T>;
  /** Of the embedded database: copies its files, as they are at one moment, into the folder `db` of a new folder. */
  copyTo?(folder: string): Promise<void>;
  /**
   * LISTEN: rare invalidations only. Answers a function that stops listening. After a lost connection (PostgreSQL) each
   * handler is called once with an empty payload: something may have been missed, so refresh everything.
   * @param unheard is called every few seconds while the connection is there and brings no notices, as through a pooler
   */
  listen(channel: string, handler: (payload: string) => void, unheard?: () => void): Promise<() => Promise<void>>;
  notify(channel: string, payload: string): Promise<void>;
  /**
   * The moment (`performance.now()`) up to which nothing was missed: all notices that were committed before it have been
   * handed to the handlers. It stands still while the connection for notices is away, and is -Infinity before the first.
   */
  heardUntilMs(): number;
  /** Whether the connection for notices is there and brings none. */
  isUnheard?(): boolean;
  /** The brokers that use this database. */
  readonly brokers: LiveBrokers;
  /** Why nothing is written, in a sentence for the operator; undefined while all is well. */
  fault?(): string | undefined;
  /** Of PostgreSQL's pool: connections in use and idle, and statements that wait for one. */
  connections?(): { used: number; idle: number; waiting: number };
  /** Of PostgreSQL: the broker has started, and statements have the time of requests from now on. */
  started?(): void;
  close(): Promise<void>;
};

/** A feature's migrations: name -> single statements (PGlite accepts no multi-statement query with parameters). */
export type Migration = {
  name: string;
  statements: readonly string[];
  /** Why the last release does not miss what this takes away: its brokers work on while those of the next start (docs/decisions/0088). */
  takesAway?: string;
};
