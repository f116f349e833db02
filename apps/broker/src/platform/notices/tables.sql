-- The outbox: a row is written in the transaction of the event that it notifies a user of. It has no text. `address`: only for the
-- last mail of a deleted account, whose address is stored nowhere else, and only until that mail is sent or given up.
create table notices (
  key text primary key,
  user_id uuid,
  kind text not null,
  facts jsonb not null,
  created_at timestamptz not null,
  next_at timestamptz,
  attempts integer not null default 0,
  error text,
  done_at timestamptz,
  outcome text check (outcome in ('sent', 'shown', 'unwanted', 'no_recipient', 'no_channel', 'given_up')),
  address text,
  check ((next_at is null) = (done_at is not null)),
  check ((done_at is null) = (outcome is null))
);

create index notices_due on notices (next_at) where next_at is not null;

create index notices_of_user on notices (user_id, done_at);

create index notices_done on notices (done_at) where done_at is not null;

create function forget_notice_address() returns trigger language plpgsql as $$
begin
  new.address := null;
  return new;
end $$;

create trigger notices_forget_address before insert or update on notices for each row
  when (new.done_at is not null and new.address is not null) execute function forget_notice_address();

create table notice_switches (
  user_id uuid not null,
  kind text not null,
  off_since timestamptz not null,
  primary key (user_id, kind)
);

-- Current problems, and when the operator was last alerted (`told_at`). A problem that has ended stays for the hour in which it does
-- not alert again.
create table alerts (
  cause text primary key,
  since timestamptz not null,
  told_at timestamptz not null,
  gone_at timestamptz
);
