-- `position`: place of an offer; a moved offer shares it with no other. `edited_at`: since then an administrator's edit applies, and
-- offers.json no longer changes the offer. `file_version`: the offer in offers.json at the last start.
create table plans (
  plan_id text primary key,
  name text not null,
  description text not null,
  tier text not null check (tier in ('T0', 'T1', 'T2', 'T3')),
  amount bigint not null check (amount >= 0),
  currency text not null,
  period text not null check (period in ('month')),
  features jsonb not null,
  monthly_credits bigint not null check (monthly_credits >= 0),
  active boolean not null,
  position double precision not null,
  popular boolean not null default false,
  revision bigint not null default 1,
  edited_at timestamptz,
  edited_by uuid,
  file_version jsonb
);

create unique index plans_most_popular on plans (popular) where popular;

create table credit_packages (
  package_id text primary key,
  name text not null,
  credits bigint not null check (credits > 0),
  bonus bigint not null check (bonus >= 0),
  price bigint not null check (price > 0),
  currency text not null,
  active boolean not null,
  position double precision not null,
  popular boolean not null default false,
  revision bigint not null default 1,
  edited_at timestamptz,
  edited_by uuid,
  file_version jsonb
);

create unique index credit_packages_most_popular on credit_packages (popular) where popular;

-- The prices that the payment provider has, so that a start needs no request. A row is stale where its amount or currency is no longer
-- what is offered.
create table provider_prices (
  livemode boolean not null,
  kind text not null check (kind in ('plan', 'package', 'rental')),
  offer_id text not null,
  product_id text not null,
  price_id text not null,
  amount bigint not null,
  currency text not null,
  monthly_credits bigint,
  primary key (livemode, kind, offer_id)
);

-- Amount and credits of each price that a plan has had at the provider. Subscribers keep theirs.
create table plan_prices (
  price_id text primary key,
  plan_id text not null references plans,
  amount bigint not null,
  currency text not null,
  monthly_credits bigint not null
);

-- `outcome`: counts of the outcomes, stored when a move ends: an offer's page would count 50,000 rows for each of its moves.
create table price_moves (
  id uuid primary key,
  livemode boolean not null,
  plan_id text not null references plans,
  price_id text not null,
  amount bigint not null,
  currency text not null,
  monthly_credits bigint not null,
  started_at timestamptz not null,
  started_by uuid,
  ended_at timestamptz,
  worker uuid,
  beat timestamptz,
  outcome jsonb
);

create unique index price_moves_under_way on price_moves (livemode, plan_id) where ended_at is null;

create index price_moves_by_plan on price_moves (plan_id, started_at);

-- `due_at`: when the provider gets the subscriber's price; `applies_at`: from when they pay it. No reference to price_moves: moves are
-- never deleted, and checking the reference of each item took a third of the time to start a large move.
create table price_move_items (
  move_id uuid not null,
  payment_id text not null,
  from_amount bigint,
  from_credits bigint,
  status text not null default 'queued' check (status in ('queued', 'moved', 'skipped', 'failed')),
  why text,
  due_at timestamptz not null,
  applies_at timestamptz not null,
  primary key (move_id, payment_id)
);

create index price_move_items_by_subscription on price_move_items (payment_id);

create index price_move_items_queued on price_move_items (move_id, due_at) where status = 'queued';

-- Which price of a tool a user agreed to, when and where: evidence, so that no row is ever changed.
create table price_approvals (
  user_id uuid not null,
  livemode boolean not null,
  server_id text not null,
  tool text not null,
  credits bigint not null check (credits > 0),
  approved_at timestamptz not null,
  via text not null check (via in ('form', 'page')),
  primary key (user_id, livemode, server_id, tool, credits)
);
