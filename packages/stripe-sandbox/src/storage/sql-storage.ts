import type { Filter, Rows, Storage, StoredRow } from './storage.ts';

/** Runs a statement. JSON values are passed as text, and bigint may be returned as text. */
export type Query = <Row>(text: string, values?: readonly unknown[]) => Promise<{ rows: Row[] }>;

/** A database that runs work in one transaction: PGlite or PostgreSQL. */
export type SqlDatabase = { transaction<T>(work: (query: Query) => Promise<T>): Promise<T> };

type Raw = { id: string; kind: string; body: object; memory: object; timeline: string; due_ms: number | string | null };

const columns = 'id, kind, body, memory, timeline, due_ms';

/** Stores the sandbox's rows in PGlite or PostgreSQL, in the table of `sandboxMigrations(schema)`. */
export function sqlStorage(database: SqlDatabase, schema: string): Storage {
  const table = `${schema}.objects`;
  return {
    transaction: (mode, work) =>
      database.transaction(async (query) => {
        // serializes brokers that share the database
        if (mode === 'write') await query(`select pg_advisory_xact_lock(hashtext($1))`, [table]);
        return work(rowsOf(query, table));
      }),
  };
}

function rowsOf(query: Query, table: string): Rows {
  return {
    async read(id) {
      const { rows } = await query<Raw>(`select ${columns} from ${table} where id = $1`, [id]);
      return rows.map(toRow)[0];
    },
    async find(kind, filter) {
      const { conditions, values, reversed } = toConditions(kind, filter, table);
      const { rows } = await query<Raw>(
        `select ${columns} from ${table} where ${conditions.join(' and ')} order by seq ${reversed ? 'asc' : 'desc'} limit ${Math.trunc(filter.limit)}`,
        values,
      );
      return reversed ? rows.map(toRow).toReversed() : rows.map(toRow);
    },
    async due(timeline, untilMs, limit) {
      const { rows } = await query<Raw>(
        `select ${columns} from ${table} where timeline = $1 and due_ms <= $2 order by due_ms, seq limit ${Math.trunc(limit)}`,
        [timeline, untilMs],
      );
      return rows.map(toRow);
    },
    async nextDueMs(timeline) {
      const { rows } = await query<{ due_ms: number | string }>(
        `select due_ms from ${table} where timeline = $1 and due_ms is not null order by due_ms limit 1`,
        [timeline],
      );
      return rows[0] && Number(rows[0].due_ms);
    },
    async write(rows, nowMs) {
      await query(
        `insert into ${table} (id, kind, body, memory, timeline, due_ms, stored_ms)
          select row ->> 'id', row ->> 'kind', row -> 'body', row -> 'memory', row ->> 'timeline', (row ->> 'dueMs')::bigint, $2::bigint
          from jsonb_array_elements($1::jsonb) with ordinality as given (row, place) order by place
          on conflict (id) do update set
            body = excluded.body, memory = excluded.memory, timeline = excluded.timeline, due_ms = excluded.due_ms`,
        [JSON.stringify(rows), nowMs],
      );
    },
    async remove(ids) {
      await query(`delete from ${table} where id in (select jsonb_array_elements_text($1::jsonb))`, [
        JSON.stringify(ids),
      ]);
    },
    async prune(kind, { beforeMs, keep, body = {} }) {
      await query(
        `delete from ${table} where kind = $1 and body @> $4::jsonb and (stored_ms < $2 or seq <= coalesce(
          (select seq from ${table} where kind = $1 and body @> $4::jsonb order by seq desc offset $3::bigint limit 1), -1))`,
        [kind, beforeMs, keep, JSON.stringify(body)],
      );
    },
    async count() {
      const { rows } = await query<{ count: number | string }>(`select count(*) as count from ${table}`);
      return Number(rows[0]?.count ?? 0);
    },
  };
}

function toConditions(kind: string, filter: Filter, table: string) {
  const conditions: string[] = [];
  const values: unknown[] = [];
  const add = (value: unknown, condition: (place: string) => string) => {
    if (value === undefined) return;
    values.push(value);
    conditions.push(condition(`$${values.length}`));
  };
  const seqOf = (place: string) => `(select seq from ${table} where id = ${place})`;
  add(kind, (place) => `kind = ${place}`);
  add(filter.body && JSON.stringify(filter.body), (place) => `body @> ${place}::jsonb`);
  add(filter.memory && JSON.stringify(filter.memory), (place) => `memory @> ${place}::jsonb`);
  if (filter.oneOf) {
    values.push(filter.oneOf.field, JSON.stringify(filter.oneOf.values));
    conditions.push(`body ->> $${values.length - 1} in (select jsonb_array_elements_text($${values.length}::jsonb))`);
  }
  add(filter.createdFrom, (place) => `(body ->> 'created')::bigint >= ${place}`);
  add(filter.createdUntil, (place) => `(body ->> 'created')::bigint <= ${place}`);
  add(filter.after, (place) => `seq < ${seqOf(place)}`);
  add(filter.before, (place) => `seq > ${seqOf(place)}`);
  return { conditions, values, reversed: filter.before !== undefined };
}

function toRow({ due_ms: dueMs, ...row }: Raw): StoredRow {
  return { ...row, dueMs: dueMs === null ? null : Number(dueMs) };
}
