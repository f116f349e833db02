-- Credits bought with a live key and those of the sandbox never mix: each user has an account for each.
-- Often updated tables leave room on their pages, so that an update touches no index.
create table credit_accounts (
  user_id uuid not null,
  livemode boolean not null,
  balance bigint not null default 0 check (balance >= 0),
  held bigint not null default 0 check (held >= 0),
  debt bigint not null default 0 check (debt >= 0),
  closed boolean not null default false,
  monthly_cap bigint check (monthly_cap >= 0),
  month date not null default '-infinity',
  month_spent bigint not null default 0 check (month_spent >= 0),
  next_expiry timestamptz,
  primary key (user_id, livemode),
  check (held <= balance)
) with (fillfactor = 50);

-- For the job that removes expired credits of owners who do not come back.
create index credit_accounts_by_expiry on credit_accounts (livemode, next_expiry) where next_expiry is not null;

-- The names of the sources sort in the order in which credits are spent; of equal lots, the oldest (`number`) is spent first.
-- `expired`: credits that expired unspent, which are not clawed back with their payment.
create table credit_lots (
  id uuid primary key,
  user_id uuid not null,
  livemode boolean not null,
  source text not null check (source in ('plan', 'promotional', 'purchased')),
  idem text not null unique,
  granted bigint not null check (granted > 0),
  remaining bigint not null check (remaining between 0 and granted),
  clawed bigint not null default 0 check (clawed between 0 and granted),
  expires_at timestamptz,
  open boolean generated always as (remaining > 0) stored,
  number bigint generated always as identity,
  expired bigint not null default 0,
  foreign key (user_id, livemode) references credit_accounts,
  check (expired >= 0 and clawed + expired <= granted)
) with (fillfactor = 50);

create index credit_lots_open on credit_lots (user_id, livemode) where open;

-- A broker without a row is dead, and its leases are reclaimed.
create table credit_brokers (
  id uuid primary key,
  since timestamptz not null,
  beat timestamptz not null
) with (fillfactor = 50);

-- `call_id`: a call of several rounds, which may have one lease at a time.
create table credit_leases (
  id uuid primary key,
  user_id uuid not null,
  livemode boolean not null,
  broker_id uuid not null,
  call_id uuid unique,
  granted bigint not null,
  spent bigint not null default 0,
  state text not null default 'open' check (state in ('open', 'asked', 'draining')),
  check (0 <= spent and spent < granted),
  foreign key (user_id, livemode) references credit_accounts
) with (fillfactor = 50);

create index credit_leases_by_account on credit_leases (user_id, livemode);

create index credit_leases_by_broker on credit_leases (broker_id);

-- Append-only. The database allows two changes, from any sender: the removal of an erased user's address from reasons, and the deletion
-- of the books of an account that was deleted more than a year ago. `calls`: the calls that one entry charges (decision 0044).
create table ledger_entries (
  id bigint generated always as identity primary key,
  user_id uuid not null,
  livemode boolean not null,
  delta bigint not null check (delta <> 0),
  contra text not null check (contra in
    ('plan', 'promotional', 'purchased', 'usage', 'expiry', 'refund', 'dispute', 'adjustment')),
  balance_after bigint not null,
  idem text not null unique,
  reason text,
  at timestamptz not null default now(),
  calls uuid[]
);

create index ledger_entries_by_account on ledger_entries (user_id, livemode, id desc);

-- For administrators who look for the few entries that are not calls.
create index ledger_entries_but_calls on ledger_entries (user_id, livemode, id desc) where contra <> 'usage';

create index ledger_entries_with_reason on ledger_entries (id) where reason is not null;

create function refuse_ledger_change() returns trigger language plpgsql as $$
begin
  raise exception 'ledger_entries is append-only';
end $$;

create trigger ledger_entries_append_only before truncate on ledger_entries
  for each statement execute function refuse_ledger_change();

create trigger ledger_entries_only_erased before update on ledger_entries
  for each row execute function refuse_change_but_erasure();

create function erase_address_in_ledger(address text) returns void language plpgsql as $$
begin
  if address = '' then return; end if;
  perform set_config('souk.erased_address', address, true);
  update ledger_entries set reason = without_address(reason, address)
    where reason is not null and mentions_address(reason, address);
  perform set_config('souk.erased_address', '', true);
end $$;

create function refuse_deletion_of_open_books() returns trigger language plpgsql as $$
begin
  if old.user_id::text = current_setting('souk.closed_books', true) and exists (
    select from users where id = old.user_id and deleted_at < now() - interval '1 year') then return old;
  end if;
  raise exception 'ledger_entries is append-only';
end $$;

create trigger ledger_entries_only_closed before delete on ledger_entries
  for each row execute function refuse_deletion_of_open_books();

-- Calls of the last hour that a client aborted after dispatch and that were not charged. All rounds of a call may share the
-- time of its usage row, so a dispatch is identified by its lease.
create table credit_free_aborts (
  call_id uuid not null,
  user_id uuid not null,
  livemode boolean not null,
  at timestamptz not null,
  lease_id uuid not null,
  primary key (call_id, lease_id)
);

create index credit_free_aborts_by_account on credit_free_aborts (user_id, livemode);

-- Ended calls that are not charged yet: a row for every 10 ms of calls. A broker writes, charges and deletes its own rows.
-- `calls` is only read after a kill, so that compression would be wasted.
create table credit_ended_calls (
  id uuid primary key,
  broker_id uuid not null,
  livemode boolean not null,
  calls text not null
);

alter table credit_ended_calls alter column calls set storage external;
