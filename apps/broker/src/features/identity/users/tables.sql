-- Makes the administrators' list of 50,000 users as fast as a profile (decision 0048).

create function note_provider() returns trigger language plpgsql as $$
begin
  update users set provider = new.provider where id = new.user_id;
  return null;
end $$;

create trigger identities_note_provider after insert on identities for each row execute function note_provider();

create index users_newest on users (created_at desc, id) include (provider, is_active) where deleted_at is null;

create index users_deactivated on users (created_at desc, id) include (provider) where deleted_at is null and not is_active;

-- Beginnings that a search matches: the address, and the name from each of its words on. Only the first 100 characters
-- and 20 words of a name count: a provider's names have no limit. OFFSET keeps the planner from inlining the expression
-- wherever `short` is used.
create function search_prefixes(email text, name text) returns setof text language sql immutable as $$
  select left(lower(email), 320)
  union
  select substr(short, regexp_instr(short, '[^\s.,;()"''_-]+', 1, word))
  from (select left(lower(regexp_replace(left(name, 400), '\s+', ' ', 'g')), 100) as short offset 0) as names,
    generate_series(1, least(regexp_count(short, '[^\s.,;()"''_-]+'), 20)) as word
$$;

-- The user's creation time and provider are here too, so that a search with many matches reads this table alone.
create table user_prefixes (
  user_id uuid not null references users (id),
  prefix text not null,
  provider text not null,
  created_at timestamptz not null
);

create index user_prefixes_prefix on user_prefixes (prefix text_pattern_ops) include (provider, created_at, user_id);

create index user_prefixes_user on user_prefixes (user_id);

create function note_prefixes() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' and (new.email, new.display_name, new.provider, new.deleted_at)
    is not distinct from (old.email, old.display_name, old.provider, old.deleted_at) then return null;
  end if;
  if tg_op = 'UPDATE' and old.provider is not null then delete from user_prefixes where user_id = new.id; end if;
  if new.deleted_at is null and new.provider is not null then
    insert into user_prefixes select new.id, prefix, new.provider, new.created_at
      from search_prefixes(new.email, new.display_name) as prefix;
  end if;
  return null;
end $$;

create trigger users_note_prefixes after insert or update of email, display_name, provider, deleted_at on users
  for each row execute function note_prefixes();

-- Users per provider. Each change adds a row, since a single row of sums would make sign-ins wait for each other; the
-- reaper adds the rows up.
create table user_counts (provider text not null, total bigint not null, active bigint not null);

create function note_user_counts() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    insert into user_counts select provider, sum(total), sum(active) from (
      select provider, 1 as total, is_active::int as active from new_users
        where provider is not null and deleted_at is null
      union all
      select provider, -1, -is_active::int from old_users where provider is not null and deleted_at is null
    ) as changes group by provider having sum(total) <> 0 or sum(active) <> 0;
  else
    insert into user_counts select provider, count(*), count(*) filter (where is_active) from new_users
      where provider is not null and deleted_at is null group by provider;
  end if;
  return null;
end $$;

create trigger users_note_added after insert on users referencing new table as new_users
  for each statement execute function note_user_counts();

create trigger users_note_changed after update on users referencing old table as old_users new table as new_users
  for each statement execute function note_user_counts();
