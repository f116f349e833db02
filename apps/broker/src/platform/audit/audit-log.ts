import { join } from 'node:path';
import type { AuditAction } from '@souk/contract/admin/audit-actions.ts';
import { sql, type QueryExecutorProvider } from 'kysely';
import type { Migration, Query } from '../db/database.ts';
import { readStatements } from '../db/read-statements.ts';
import { addressOfActor } from '../http/acting.ts';

/** The permanent record of a decision: who did what to what, and why. Never a secret. */
export type AuditEntry = {
  /** The user who decided; undefined for a rule of the broker. */
  actorId: string | undefined;
  /** `area.what-happened`, such as `tool-change.approved`. Every action has a text for administrators. */
  action: AuditAction;
  /** The object of the action, such as `travel/search_flights`. */
  subject: string;
  reason?: string | undefined;
  details?: Record<string, unknown>;
  /** The actor's network address; by default that of the administrator's current call. */
  address?: string | undefined;
};

/** The operator's name of a command, empty if the command does not know it; null for other actors. */
export const operatorSql = `coalesce(details->>'operator', case details->>'via' when 'command' then '' end)`;

export const auditMigrations: readonly Migration[] = [
  { name: '0006-platform-audit', statements: readStatements(join(import.meta.dirname, 'tables.sql')) },
];

/** Adds a row in the transaction of the decision, so that neither is stored without the other. */
export function writeAudit(tx: QueryExecutorProvider, entry: AuditEntry, at: Date): Promise<void> {
  return insert(tx, [entry], null, at);
}

/** Adds a row in a transaction of plain statements. */
export async function writeAuditWith(query: Query, entry: AuditEntry, at: Date): Promise<void> {
  const { actorId, action, subject, reason, details = {} } = entry;
  await query(
    `insert into audit_log (at, actor_id, action, subject, reason, details, address)
     values ($1, $2, $3, $4, $5, $6::jsonb, $7)`,
    [at, actorId ?? null, action, subject, reason ?? null, JSON.stringify(details), addressOf(entry) ?? null],
  );
}

export async function writeAuditsWith(query: Query, entries: readonly AuditEntry[], at: Date): Promise<void> {
  if (entries.length === 0) return;
  await query(
    `insert into audit_log (at, actor_id, action, subject, reason, details, address)
     select $2, e."actorId", e.action, e.subject, e.reason, coalesce(e.details, '{}'), e.address
       from jsonb_to_recordset($1::jsonb)
         as e("actorId" uuid, action text, subject text, reason text, details jsonb, address text)`,
    [JSON.stringify(entries.map((entry) => ({ ...entry, address: addressOf(entry) }))), at],
  );
}

/** An outside party that can cause rows, such as a server that changes its tools. Its rows are limited, since they are kept. */
export type AuditSource = {
  /** The rows of a source are counted together. */
  source: string;
  /** The subject of the row that reports that the limit was reached. */
  subject: string;
  maxRowsADay: number;
};

/** `isNews`: these are the first entries left out on this day. */
export type LeftOut = { entries: number; isNews: boolean };

/**
 * Adds rows that an outside party caused, up to its limit per day (UTC); the last one says that more was left out. Not for
 * actions of users.
 * @returns what was left out, if anything
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
  // the last row of the day is reserved for saying that there was more
  const room = maxRowsADay - 1 - (rows[0]?.written ?? 0);
  if (room < 0) return { entries: entries.length, isNews: false };
  const written = entries.slice(0, room);
  const leftOut = entries.length - written.length;
  if (leftOut === 0) return insert(tx, entries, source, at).then(() => undefined);
  const reason = `At most ${maxRowsADay} rows a day are written about its changes`;
  const last: AuditEntry = { actorId: undefined, action: 'audit.limit-reached', subject, reason, details: { leftOut } };
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
    (entry) => sql`(${at.toISOString()}::timestamptz, ${entry.actorId ?? null}::uuid,
      ${entry.action}, ${entry.subject}, ${entry.reason ?? null}, ${JSON.stringify(entry.details ?? {})}::jsonb, ${source},
      ${addressOf(entry) ?? null})`,
  );
  await sql`insert into audit_log (at, actor_id, action, subject, reason, details, source, address)
    values ${sql.join(rows)}`.execute(tx);
}

const addressOf = ({ actorId, address }: AuditEntry) => address ?? addressOfActor(actorId);
