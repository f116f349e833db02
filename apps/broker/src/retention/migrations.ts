import type { Migration } from '#platform/db/database.ts';

/**
 * Rows that only grow may be deleted once they are as old as the operator says, and never before a year. The database refuses any
 * other deletion of them, from any sender.
 */
export const retentionMigrations: readonly Migration[] = [
  {
    name: '0280-retention',
    statements: [
      'drop trigger audit_log_append_only on audit_log',
      'create trigger audit_log_append_only before truncate on audit_log for each statement execute function refuse_audit_change()',
      `create function refuse_deletion_of_newer_audit() returns trigger language plpgsql as $$
        begin
          if old.at < nullif(current_setting('souk.audit_since', true), '')::timestamptz
            and old.at < now() - interval '1 year' then return old;
          end if;
          raise exception 'audit_log is append-only';
        end
      $$`,
      `create trigger audit_log_only_old before delete on audit_log
        for each row execute function refuse_deletion_of_newer_audit()`,
      'drop trigger ledger_entries_append_only on ledger_entries',
      `create trigger ledger_entries_append_only before truncate on ledger_entries
        for each statement execute function refuse_ledger_change()`,
      `create function refuse_deletion_of_open_books() returns trigger language plpgsql as $$
        begin
          if old.user_id::text = current_setting('souk.closed_books', true) and exists (
            select from users where id = old.user_id and deleted_at < now() - interval '1 year') then return old;
          end if;
          raise exception 'ledger_entries is append-only';
        end
      $$`,
      `create trigger ledger_entries_only_closed before delete on ledger_entries
        for each row execute function refuse_deletion_of_open_books()`,
      'create index users_deleted on users (deleted_at) where deleted_at is not null',
    ],
  },
];
