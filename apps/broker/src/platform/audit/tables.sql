-- The permanent record of decisions. The database allows only two changes, from any sender: the removal of an erased user's
-- addresses (`[erased]` for an e-mail address in a reason, null for a network address), and the deletion of rows that are older
-- than a year and than the operator's retention period.
-- `source`: the outside party that caused a row; null for decisions of users and of the broker's rules.
-- `address`: null for a command, a rule of the broker, and erased users.
create table audit_log (
  id bigint generated always as identity primary key,
  at timestamptz not null,
  actor_id uuid,
  action text not null,
  subject text not null,
  reason text,
  details jsonb not null default '{}',
  source text,
  address text
);

create index audit_log_by_source on audit_log (source, at) where source is not null;

create index audit_log_by_subject on audit_log (subject, id);

-- Each filter of the list is an index in the order of the list.
create index audit_log_by_time on audit_log (at, id);

create index audit_log_by_actor on audit_log (actor_id, at, id) where actor_id is not null;

create index audit_log_of_people on audit_log (at, id) where actor_id is not null;

-- The expression is `operatorSql` of audit-log.ts.
create index audit_log_by_operator
  on audit_log ((coalesce(details->>'operator', case details->>'via' when 'command' then '' end)), at, id)
  where actor_id is null and coalesce(details->>'operator', case details->>'via' when 'command' then '' end) is not null;

create index audit_log_of_broker on audit_log (at, id)
  where actor_id is null and coalesce(details->>'operator', case details->>'via' when 'command' then '' end) is null;

create index audit_log_by_action on audit_log (action, at, id);

create index audit_log_by_object on audit_log (lower(subject) text_pattern_ops, at, id);

create function refuse_audit_change() returns trigger language plpgsql as $$
begin
  raise exception 'audit_log is append-only';
end $$;

create trigger audit_log_append_only before truncate on audit_log for each statement execute function refuse_audit_change();

create function refuse_deletion_of_newer_audit() returns trigger language plpgsql as $$
begin
  if old.at < nullif(current_setting('souk.audit_since', true), '')::timestamptz
    and old.at < now() - interval '1 year' then return old;
  end if;
  raise exception 'audit_log is append-only';
end $$;

create trigger audit_log_only_old before delete on audit_log
  for each row execute function refuse_deletion_of_newer_audit();

-- Replaces an e-mail address with `[erased]`. Only the case of A to Z is ignored, so that an address with the Kelvin sign does not
-- erase another user's address with a K. An address is not replaced if it is part of a longer one: next to a letter, a digit or
-- another character of addresses. A backslash makes every other character literal (PostgreSQL, section 9.7.3.3).
create function without_address(reason text, address text) returns text language sql immutable as $$
  select case when address = '' then reason else regexp_replace(reason,
    '(?<![[:alnum:]_%+-])(?<![[:alnum:]_%+-]\.)' || (
      select string_agg(case
          when one ~ '[A-Za-z]' then '[' || upper(one collate "C") || lower(one collate "C") || ']'
          when one ~ '[[:alnum:]]' then one
          else '\' || one
        end, '' order by place)
      from regexp_split_to_table(address, '') with ordinality as letters (one, place)
    ) || '(?![[:alnum:]]|[.-]+[[:alnum:]])',
    '[erased]', 'g') end
$$;

create function mentions_address(reason text, address text) returns boolean language sql immutable as $$
  select position(lower(address collate "C") in lower(reason collate "C")) > 0
$$;

-- For append-only tables with a `reason`: allows only an update whose result is what erasing an address makes of the row.
create function refuse_change_but_erasure() returns trigger language plpgsql as $$
declare address text := coalesce(current_setting('souk.erased_address', true), '');
begin
  if address <> '' and to_jsonb(new) - 'reason' = to_jsonb(old) - 'reason'
    and new.reason is not distinct from without_address(old.reason, address) then return new;
  end if;
  raise exception '% is append-only', tg_table_name;
end $$;

create function refuse_audit_change_but_erasure() returns trigger language plpgsql as $$
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
end $$;

create trigger audit_log_only_erased before update on audit_log
  for each row execute function refuse_audit_change_but_erasure();

create function erase_address_in_audit(address text) returns void language plpgsql as $$
begin
  if erase_address_in_audit.address = '' then return; end if;
  perform set_config('souk.erased_address', erase_address_in_audit.address, true);
  update audit_log set reason = without_address(reason, erase_address_in_audit.address)
    where mentions_address(reason, erase_address_in_audit.address);
  perform set_config('souk.erased_address', '', true);
end $$;

create function erase_actor_in_audit(actor uuid) returns void language plpgsql as $$
begin
  perform set_config('souk.erased_actor', actor::text, true);
  update audit_log set address = null where actor_id = actor and address is not null;
  perform set_config('souk.erased_actor', '', true);
end $$;
