-- What users own. `livemode` as with payments: what was sold in the sandbox does not count once real keys are set.
-- `cancelled_at`: it ends at the end of its period, and may be resumed until then. `ended_at`: it was removed before.

-- `plan_since`: when the plan started; null: with the subscription. `pending_plan_id`: a higher plan that starts once its payment is
-- made, and `pending_until` its deadline.
create table subscriptions (
  id uuid primary key,
  user_id uuid not null,
  livemode boolean not null,
  plan_id text not null references plans,
  source text not null check (source in ('payment', 'administrator')),
  payment_id text unique,
  past_due boolean not null default false,
  started_at timestamptz not null,
  period_ends_at timestamptz,
  cancelled_at timestamptz,
  ended_at timestamptz,
  next_plan_id text references plans,
  pending_plan_id text references plans,
  pending_until timestamptz,
  past_due_since timestamptz,
  price_id text,
  price_amount bigint,
  price_currency text,
  plan_since timestamptz
);

create index subscriptions_by_user on subscriptions (user_id, livemode);

-- for notices to clients that something has ended
create index subscriptions_by_end on subscriptions (period_ends_at) where ended_at is null;

create index subscriptions_past_due on subscriptions (livemode, past_due_since) where past_due and ended_at is null;

create index subscriptions_renewing on subscriptions ((coalesce(next_plan_id, plan_id)), payment_id)
  where ended_at is null and source = 'payment';

-- `ends_with_plan`: the rental ends with its period once this plan is paid.
create table access_grants (
  id uuid primary key,
  user_id uuid not null,
  livemode boolean not null,
  server_id text not null,
  kind text not null check (kind in ('rental', 'purchase', 'trial')),
  source text not null check (source in ('payment', 'administrator', 'person')),
  period text check (period in ('daily', 'weekly', 'monthly')),
  payment_id text unique,
  features jsonb not null default '[]',
  past_due boolean not null default false,
  started_at timestamptz not null,
  period_ends_at timestamptz,
  cancelled_at timestamptz,
  ended_at timestamptz,
  past_due_since timestamptz,
  ends_with_plan text references plans,
  check ((kind = 'rental') = (period is not null)),
  check (kind = 'purchase' or period_ends_at is not null)
);

create index access_grants_by_user on access_grants (user_id, livemode);

-- one trial per user and server, forever (clarifications, Plans)
create unique index access_grants_one_trial on access_grants (user_id, server_id, livemode) where kind = 'trial';

create index access_grants_by_end on access_grants (period_ends_at) where ended_at is null;

create index access_grants_rented on access_grants (server_id) where kind = 'rental' and ended_at is null;

create index access_grants_owned on access_grants (server_id) where kind <> 'rental' and ended_at is null;

-- current renters of a server
create index access_grants_renters on access_grants (server_id, livemode, id) where kind = 'rental' and ended_at is null;

create index access_grants_past_due on access_grants (livemode, past_due_since) where past_due and ended_at is null;

-- Which addresses have had which trial, as keyed fingerprints, which outlive a deleted account.
create table trial_addresses (
  fingerprint text not null,
  livemode boolean not null,
  server_id text not null,
  primary key (fingerprint, livemode, server_id)
);

-- Which addresses have had welcome credits, as keyed fingerprints without a user or a time. They outlive a deleted account, so that an
-- address gets the credits once.
create table welcomed_addresses (
  fingerprint text not null,
  livemode boolean not null,
  primary key (fingerprint, livemode)
);
