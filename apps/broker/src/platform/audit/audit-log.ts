import { sql, type QueryExecutorProvider } from 'kysely';
import type { Migration, Query } from '../db/database.ts';

/** The permanent record of a decision: who did what to what, and why. Never a secret. */
export type AuditEntry = {
  /** The person who decided; undefined when a rule of the broker did. */
  actorId: string | undefined;
  /** `area.what-happened`, such as `tool-change.approved`. */
  action: string;
  /** What it happened to, such as `travel/search_flights`. */
  subject: string;
  reason?: string | undefined;
  details?: Record<string, unknown>;
};

export const auditMigrations: readonly Migration[] = [
  {
    name: '0005-platform-audit-log',
    statements: [
      `create table audit_log (
        id bigint generated always as identity primary key,
        at timestamptz not null,
        actor_id uuid,
        action text not null,
        subject text not null,
        reason text,
        details jsonb not null default '{}'
      )`,
      // Append-only for every role of the database: rows cannot be changed or deleted (data.md, Money statements).
      `create function refuse_audit_change() returns trigger language plpgsql as
        $$ begin raise exception 'audit_log is append-only'; end $$`,
      `create trigger audit_log_append_only before update or delete or truncate on audit_log
        for each statement execute function refuse_audit_change()`,
    ],
  },
  {
    name: '0006-platform-audit-source',
    statements: [
      // Who outside caused a row; null for what a person or a rule of ours decided.
      'alter table audit_log add column source text',
      'create index audit_log_by_source on audit_log (source, at) where source is not null',
    ],
  },
  {
    name: '0093-platform-audit-by-subject',
    statements: ['create index audit_log_by_subject on audit_log (subject, id)'],
  },
];

/** Adds a row, in the transaction of the decision, so that neither is stored without the other. */
export function writeAudit(tx: QueryExecutorProvider, entry: AuditEntry, at: Date): Promise<void> {
  return insert(tx, [entry], null, at);
}

/** The same in a transaction of plain statements. */
export async function writeAuditWith(query: Query, entry: AuditEntry, at: Date): Promise<void> {
  const { actorId, action, subject, reason, details = {} } = entry;
  await query(
    `insert into audit_log (at, actor_id, action, subject, reason, details) values ($1, $2, $3, $4, $5, $6::jsonb)`,
    [at, actorId ?? null, action, subject, reason ?? null, JSON.stringify(details)],
  );
}

/** Several rows, as of the same decision. */
export async function writeAuditsWith(query: Query, entries: readonly AuditEntry[], at: Date): Promise<void> {
  if (entries.length === 0) return;
  await query(
    `insert into audit_log (at, actor_id, action, subject, reason, details)
     select $2, e."actorId", e.action, e.subject, e.reason, coalesce(e.details, '{}') from jsonb_to_recordset($1::jsonb)
       as e("actorId" uuid, action text, subject text, reason text, details jsonb)`,
    [JSON.stringify(entries), at],
  );
}

/** An outside party that can cause rows, such as a server that changes its tools. Rows are kept for ever: it has a limit. */
export type AuditSource = {
  /** Whose rows are counted together. */
  source: string;
  /** What the row is about that says that the limit was reached. */
  subject: string;
  maxRowsADay: number;
};

/** `isNews`: no entry was left out before on this day. */
export type LeftOut = { entries: number; isNews: boolean };

/**
 * Adds rows that an outside party caused: at most so many a day (UTC), of which the last says that more was left out.
 * Nothing that a person did goes this way.
 * @returns what was left out, undefined when all was written
 */
export async function writeCausedAudit(
  tx: QueryExecutorProvider,
  { source, subject, maxRowsADay }: AuditSource,
  entries: readonly AuditEntry[],
  at: Date,
): Promise<LeftOut | undefined> {
  if (entries.length === 0) return undefined;
  const day = `${at.toISOString().slice(0, 10)}T00:00:00Z`;
  const { rows } = await sql<{ written: number }>`select count(*)::int as written from audit_log
    where source = ${source} and at >= ${day}`.execute(tx);
  // the last row of the day is kept for saying that there was more
  const room = maxRowsADay - 1 - (rows[0]?.written ?? 0);
  if (room < 0) return { entries: entries.length, isNews: false };
  const written = entries.slice(0, room);
  const leftOut = entries.length - written.length;
  if (leftOut === 0) return insert(tx, entries, source, at).then(() => undefined);
  const reason = `At most ${maxRowsADay} rows a day are written of what it changes`;
  const last = { actorId: undefined, action: 'audit.limit-reached', subject, reason, details: { leftOut } };
  await insert(tx, [...written, last], source, at);
  return { entries: leftOut, isNews: true };
}

async function insert(
  tx: QueryExecutorProvider,
  entries: readonly AuditEntry[],
  source: string | null,
  at: Date,
): Promise<void> {
  const rows = entries.map(
    ({ actorId, action, subject, reason, details }) => sql`(${at.toISOString()}::timestamptz, ${actorId ?? null}::uuid,
      ${action}, ${subject}, ${reason ?? null}, ${JSON.stringify(details ?? {})}::jsonb, ${source})`,
  );
  await sql`insert into audit_log (at, actor_id, action, subject, reason, details, source)
    values ${sql.join(rows)}`.execute(tx);
}
