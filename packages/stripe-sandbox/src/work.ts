import type { Kind, Kinds, Memories } from './objects/types.ts';
import { newId } from './objects/ids.ts';
import { realTime, type Filter, type Rows, type StoredRow } from './storage/storage.ts';

/** A stored object in use. `save` it after changing it. */
export type Row<K extends Kind> = {
  readonly id: string;
  readonly kind: K;
  body: Kinds[K];
  memory: Memories[K];
  timeline: string;
  dueMs: number | null;
};

/** Rows that one request may change. Exceeding it is our bug, not the caller's mistake. */
const maxChanged = 5_000;

/**
 * The rows of one transaction. Each is read once, so all parts of a request see each other's changes, and saved rows are
 * written at the end.
 */
export class Work {
  readonly nowMs: number;
  readonly newId = newId;
  readonly publicUrl: string;
  /** Events in order, sent to webhooks when the work is done. */
  readonly events: Row<'event'>[] = [];
  /** Current time of the customer concerned, in seconds: real time, or that of their test clock. */
  time: number;
  readonly #rows: Rows;
  readonly #known = new Map<string, StoredRow>();
  readonly #changed = new Set<StoredRow>();

  constructor(rows: Rows, nowMs: number, publicUrl: string) {
    this.#rows = rows;
    this.nowMs = nowMs;
    this.publicUrl = publicUrl;
    this.time = this.now;
  }

  /** Real time in seconds. */
  get now(): number {
    return Math.floor(this.nowMs / 1000);
  }

  async get<K extends Kind>(kind: K, id: string): Promise<Row<K> | undefined> {
    const row = this.#known.get(id) ?? (await this.#rows.read(id));
    return row?.kind === kind ? this.#keep<K>(row) : undefined;
  }

  /** Reads a row that must exist, because another row refers to it. */
  async need<K extends Kind>(kind: K, id: string): Promise<Row<K>> {
    const row = await this.get(kind, id);
    if (!row) throw new Error(`the ${kind} ${id} is missing`);
    return row;
  }

  async getAny(id: string): Promise<object | undefined> {
    return (this.#known.get(id) ?? (await this.#rows.read(id)))?.body;
  }

  async find<K extends Kind>(kind: K, filter: Filter): Promise<Row<K>[]> {
    await this.flush();
    return (await this.#rows.find(kind, filter)).map((row) => this.#keep<K>(row));
  }

  async due(timeline: string, untilMs: number, limit: number): Promise<Row<Kind>[]> {
    await this.flush();
    return (await this.#rows.due(timeline, untilMs, limit)).map((row) => this.#keep(row));
  }

  add<K extends Kind>(
    kind: K,
    body: Kinds[K],
    memory: Memories[K],
    when: { timeline?: string | null; dueMs?: number | null } = {},
  ): Row<K> {
    const row = { id: body.id, kind, body, memory, timeline: when.timeline ?? realTime, dueMs: when.dueMs ?? null };
    this.#known.set(row.id, row);
    this.save(row);
    return row;
  }

  save(row: Row<Kind>): void {
    this.#changed.add(row);
    if (this.#changed.size > maxChanged) throw new Error('one request changes too many objects');
  }

  async remove(ids: readonly string[]): Promise<void> {
    await this.flush();
    for (const id of ids) this.#known.delete(id);
    await this.#rows.remove(ids);
  }

  async flush(): Promise<void> {
    if (this.#changed.size === 0) return;
    const rows = [...this.#changed];
    this.#changed.clear();
    await this.#rows.write(rows, this.nowMs);
  }

  #keep<K extends Kind>(row: StoredRow): Row<K> {
    const known = this.#known.get(row.id) ?? row;
    this.#known.set(row.id, known);
    // only rows written by Work are stored, whose kind determines the other types
    return known as Row<K>;
  }
}
