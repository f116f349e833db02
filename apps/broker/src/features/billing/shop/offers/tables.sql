-- `position`: where an offer stands, which a moved one shares with no other. `edited_at`: since then an administrator's edit
-- counts, and offers.json no longer changes the offer. `file_version`: what offers.json said of it at the last start.
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

-- The prices that the payment provider knows, so that a start needs no answer of it. A row is out of date where its amount or
-- currency is no longer what is offered.
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

-- What each price of the provider that a plan has had costs and brings. People who subscribed keep theirs.
create table plan_prices (
  price_id text primary key,
  plan_id text not null references plans,
  amount bigint not null,
  currency text not null,
  monthly_credits bigint not null
);

-- `outcome`: what became of everyone when a move ended: an offer's page would count 50,000 rows for each of its moves.
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

-- `due_at`: when the provider is told of their price; `applies_at`: from when they pay it. No reference to price_moves: moves are
-- never deleted, and to look that of each item up was a third of what the beginning of a large one takes.
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

-- Which price of a tool a person agreed to, when and where: evidence, so that no row is ever changed.
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
