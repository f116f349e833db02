import type { Kind, Kinds, Memories } from './objects/types.ts';
import type { Named } from './objects/ids.ts';
import { realTime, type Filter, type Rows, type StoredRow } from './storage/storage.ts';

/** A stored object in use. Change it, then `save` it. */
export type Row<K extends Kind> = {
  readonly id: string;
  readonly kind: K;
  body: Kinds[K];
  memory: Memories[K];
  timeline: string;
  dueMs: number | null;
};

/** Most rows that one request may change; more is a mistake of ours, not of the caller. */
const maxChanged = 5_000;

/**
 * The rows of one transaction. Each is read once, so that all parts of a request see each other's changes, and what was
 * saved is written at the end.
 */
export class Work {
  readonly nowMs: number;
  readonly newId: (kind: Named) => string;
  readonly publicUrl: string;
  /** What happened, in order: told to the webhooks when the work is done. */
  readonly events: Row<'event'>[] = [];
  /** The time of the customer that the work is about, in seconds: real time, or what their test clock says. */
  time: number;
  readonly #rows: Rows;
  readonly #known = new Map<string, StoredRow>();
  readonly #changed = new Set<StoredRow>();

  constructor(rows: Rows, given: { nowMs: number; newId: (kind: Named) => string; publicUrl: string }) {
    this.#rows = rows;
    this.nowMs = given.nowMs;
    this.newId = given.newId;
    this.publicUrl = given.publicUrl;
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

  /** A row that another row names, so that it must exist. */
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
    // only rows of our own Work are stored, whose kind decides the types of the rest
    return known as Row<K>;
  }
}
