/** One stored object. Everything the sandbox knows is in such rows. */
export type StoredRow = {
  readonly id: string;
  /** The `object` field of the body. */
  readonly kind: string;
  /** What the API answers. */
  body: object;
  /** What is remembered beside it and never answered. */
  memory: object;
  /** Whose time decides when the row is due: real time, a test clock's id, or that of the deliveries. */
  timeline: string;
  /** When something happens to the row by itself, in epoch milliseconds of its timeline. */
  dueMs: number | null;
};

export type Filter = {
  /** Fields of the body, or of the memory, that must have these values. */
  body?: object;
  memory?: object;
  /** A text field that must have one of these values. */
  oneOf?: { field: string; values: readonly string[] };
  /** Of `created`, in seconds. */
  createdFrom?: number;
  createdUntil?: number;
  /** Rows before or after this one in the list. */
  after?: string;
  before?: string;
  limit: number;
};

export type Rows = {
  read(id: string): Promise<StoredRow | undefined>;
  /** Newest first. */
  find(kind: string, filter: Filter): Promise<StoredRow[]>;
  /** What is due, the earliest first. */
  due(timeline: string, untilMs: number, limit: number): Promise<StoredRow[]>;
  /** When the next row of the timeline is due. */
  nextDueMs(timeline: string): Promise<number | undefined>;
  /** Inserts or replaces, in order. */
  write(rows: readonly StoredRow[], nowMs: number): Promise<void>;
  remove(ids: readonly string[]): Promise<void>;
  /** Removes rows of a kind: those stored before `beforeMs`, and the oldest beyond the newest `keep`. */
  prune(kind: string, limits: { beforeMs: number; keep: number; body?: object }): Promise<void>;
  count(): Promise<number>;
};

export type Storage = {
  /**
   * Runs `work` in one transaction. Two of mode `write` never run at once, also not of two processes on one database.
   * `work` never waits for the network.
   */
  transaction<T>(mode: 'read' | 'write', work: (rows: Rows) => Promise<T>): Promise<T>;
};

export const realTime = 'real';
export const deliveryTime = 'delivery';
