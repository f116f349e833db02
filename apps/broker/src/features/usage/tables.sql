-- Partitioned by month, so that old months are detached, not deleted row by row.
-- `server_id` is null for built-in tools and names of no server. `calls`: one row may count several refusals for rate.
-- `rounds`: a call that asks its client is one row, for all of its requests.
-- `livemode`: whether a call was charged with credits of real payments or of the sandbox; null without a charge.
create table usage_events (
  call_id uuid not null,
  user_id uuid not null,
  server_id text,
  kind text not null check (kind in ('tool', 'prompt', 'resource')),
  name text not null,
  outcome text not null check (outcome in ('ok', 'error', 'failed', 'refused', 'cancelled')),
  reason text,
  credits bigint not null check (credits >= 0),
  duration_ms int not null,
  client_id text not null,
  token_id text not null,
  created_at timestamptz not null,
  calls int not null default 1 check (calls >= 1),
  rounds int not null default 1 check (rounds >= 1),
  livemode boolean,
  primary key (created_at, call_id)
) partition by range (created_at);

create index usage_events_by_user on usage_events (user_id, created_at desc);

-- The history of credits must not read free calls, which are nearly all.
create index usage_events_paid on usage_events (user_id, created_at desc, call_id desc) where credits > 0;

create table usage_events_default partition of usage_events default;
