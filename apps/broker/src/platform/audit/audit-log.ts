import { sql, type QueryExecutorProvider } from 'kysely';
import type { Migration } from '../db/database.ts';

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
];

/** Adds a row, in the transaction of the decision, so that neither is stored without the other. */
export async function writeAudit(tx: QueryExecutorProvider, entry: AuditEntry, at: Date): Promise<void> {
  await sql`insert into audit_log (at, actor_id, action, subject, reason, details) values (
    ${at.toISOString()}, ${entry.actorId ?? null}, ${entry.action}, ${entry.subject}, ${entry.reason ?? null},
    ${JSON.stringify(entry.details ?? {})}::jsonb)`.execute(tx);
}
