/** A stored object. The sandbox keeps all its state in such rows. */
export type StoredRow = {
  readonly id: string;
  /** `object` field of the body. */
  readonly kind: string;
  /** Object that the API returns. */
  body: object;
  /** Internal state, never returned. */
  memory: object;
  /** Clock that decides when the row is due: real time, a test clock's id, or the deliveries' own. */
  timeline: string;
  /** Time at which the row is due, in epoch milliseconds of its timeline. */
  dueMs: number | null;
};

export type Filter = {
  /** Required values of fields of the body or the memory. */
  body?: object;
  memory?: object;
  /** Allowed values of a text field. */
  oneOf?: { field: string; values: readonly string[] };
  /** Range of `created`, in seconds. */
  createdFrom?: number;
  createdUntil?: number;
  /** Id of the row that precedes the listed rows. */
  after?: string;
  /** Id of the row that follows the listed rows. */
  before?: string;
  limit: number;
};

export type Rows = {
  read(id: string): Promise<StoredRow | undefined>;
  /** Newest first. */
  find(kind: string, filter: Filter): Promise<StoredRow[]>;
  /** Due rows, earliest first. */
  due(timeline: string, untilMs: number, limit: number): Promise<StoredRow[]>;
  nextDueMs(timeline: string): Promise<number | undefined>;
  /** Inserts or replaces rows in order. */
  write(rows: readonly StoredRow[], nowMs: number): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  /** Removes rows of a kind: those stored before `beforeMs`, and the oldest beyond the newest `keep`. */
  prune(kind: string, limits: { beforeMs: number; keep: number; body?: object }): Promise<void>;
  count(): Promise<number>;
};

export type Storage = {
  /**
   * Runs `work` in one transaction. Writes are serialized, also between processes that share a database.
   * `work` never waits for the network.
   */
  transaction<T>(mode: 'read' | 'write', work: (rows: Rows) => Promise<T>): Promise<T>;
};

export const realTime = 'real';
export const deliveryTime = 'delivery';
