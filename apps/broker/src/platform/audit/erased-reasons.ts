import type { Migration, Query } from '../db/database.ts';

/**
 * Rows that are kept for ever may name a deleted person in the reason that an administrator typed. One change of such rows is
 * permitted: a whole e-mail address in `reason` becomes `[erased]`. The trigger compares the row with what erasing would make
 * of it, so it lets nothing else through, from any sender. Of the audit log, the network addresses that a deleted
 * person acted from become null in the same way.
 */
export const erasedReasonsMigrations: readonly Migration[] = [
  {
    name: '0110-platform-erased-reasons',
    statements: [
      // A letter, a digit or what only an address has beside it means that the address is a longer one. In a pattern, a
      // backslash makes each other character stand for itself (PostgreSQL, section 9.7.3.3).
      `create function without_address(reason text, address text) returns text language sql immutable as $$
        select regexp_replace(reason,
          '(?<![[:alnum:]_%+-])(?<![[:alnum:]_%+-]\\.)' || regexp_replace(address, '([^[:alnum:]])', '\\\\\\1', 'g')
            || '(?![[:alnum:]]|[.-]+[[:alnum:]])',
          '[erased]', 'gi')
      $$`,
      `create function refuse_change_but_erasure() returns trigger language plpgsql as $$
        declare address text := coalesce(current_setting('souk.erased_address', true), '');
        begin
          if address <> '' and to_jsonb(new) - 'reason' = to_jsonb(old) - 'reason'
            and new.reason is not distinct from without_address(old.reason, address) then return new;
          end if;
          raise exception '% is append-only', tg_table_name;
        end
      $$`,
      ...onlyErasure('audit_log', 'refuse_audit_change'),
      `create function erase_address_in_audit(address text) returns void language plpgsql as $$
        begin
          if address = '' then return; end if;
          perform set_config('souk.erased_address', address, true);
          update audit_log set reason = without_address(reason, address)
            where position(lower(address) in lower(reason)) > 0;
          perform set_config('souk.erased_address', '', true);
        end
      $$`,
    ],
  },
  {
    name: '0144-platform-erased-reasons-in-ascii',
    // Two spellings are one address where they differ in the case of A to Z alone, and no locale says otherwise: a person
    // with the Kelvin sign in theirs erases nobody else's.
    statements: [
      `create or replace function without_address(reason text, address text) returns text language sql immutable as $$
        select case when address = '' then reason else regexp_replace(reason,
          '(?<![[:alnum:]_%+-])(?<![[:alnum:]_%+-]\\.)' || (
            select string_agg(case
                when one ~ '[A-Za-z]' then '[' || upper(one collate "C") || lower(one collate "C") || ']'
                when one ~ '[[:alnum:]]' then one
                else '\\' || one
              end, '' order by place)
            from regexp_split_to_table(address, '') with ordinality as letters (one, place)
          ) || '(?![[:alnum:]]|[.-]+[[:alnum:]])',
          '[erased]', 'g') end
      $$`,
      `create function mentions_address(reason text, address text) returns boolean language sql immutable as $$
        select position(lower(address collate "C") in lower(reason collate "C")) > 0
      $$`,
      `create or replace function erase_address_in_audit(address text) returns void language plpgsql as $$
        begin
          if address = '' then return; end if;
          perform set_config('souk.erased_address', address, true);
          update audit_log set reason = without_address(reason, address) where mentions_address(reason, address);
          perform set_config('souk.erased_address', '', true);
        end
      $$`,
    ],
  },
  {
    name: '0186-platform-erased-addresses',
    statements: [
      `create function refuse_audit_change_but_erasure() returns trigger language plpgsql as $$
        declare
          erased_address text := coalesce(current_setting('souk.erased_address', true), '');
          erased_actor text := coalesce(current_setting('souk.erased_actor', true), '');
        begin
          if erased_actor <> '' and old.actor_id::text = erased_actor and new.address is null
            and to_jsonb(new) - 'address' = to_jsonb(old) - 'address' then return new;
          end if;
          if erased_address <> '' and to_jsonb(new) - 'reason' = to_jsonb(old) - 'reason'
            and new.reason is not distinct from without_address(old.reason, erased_address) then return new;
          end if;
          raise exception 'audit_log is append-only';
        end
      $$`,
      'drop trigger audit_log_only_erased on audit_log',
      `create trigger audit_log_only_erased before update on audit_log
        for each row execute function refuse_audit_change_but_erasure()`,
      // the table has a column of the name of its argument now
      `create or replace function erase_address_in_audit(address text) returns void language plpgsql as $$
        begin
          if erase_address_in_audit.address = '' then return; end if;
          perform set_config('souk.erased_address', erase_address_in_audit.address, true);
          update audit_log set reason = without_address(reason, erase_address_in_audit.address)
            where mentions_address(reason, erase_address_in_audit.address);
          perform set_config('souk.erased_address', '', true);
        end
      $$`,
      `create function erase_actor_in_audit(actor uuid) returns void language plpgsql as $$
        begin
          perform set_config('souk.erased_actor', actor::text, true);
          update audit_log set address = null where actor_id = actor and address is not null;
          perform set_config('souk.erased_actor', '', true);
        end
      $$`,
    ],
  },
];

/**
 * Statements that open an append-only table to this one change.
 * @param refuse the function that its trigger `{table}_append_only` calls
 */
export function onlyErasure(table: string, refuse: string): string[] {
  return [
    `drop trigger ${table}_append_only on ${table}`,
    `create trigger ${table}_append_only before delete or truncate on ${table}
      for each statement execute function ${refuse}()`,
    `create trigger ${table}_only_erased before update on ${table}
      for each row execute function refuse_change_but_erasure()`,
  ];
}

/**
 * Replaces a deleted person's e-mail address in the reasons of the audit log, and forgets the network addresses that they acted
 * from, in the transaction of the deletion.
 */
export async function eraseInAudit(query: Query, { userId, email }: { userId: string; email: string }): Promise<void> {
  await query('select erase_address_in_audit($1)', [email]);
  await query('select erase_actor_in_audit($1)', [userId]);
}
