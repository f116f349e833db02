-- `email`, `card_id`: the last address that we sent the provider, and the last card that it reported.
create table payment_customers (
  user_id uuid not null,
  livemode boolean not null,
  customer_id text not null unique,
  email text,
  card_id text,
  balance bigint not null default 0,
  balance_currency text,
  card_chosen_at timestamptz,
  primary key (user_id, livemode)
);

create index payment_customers_with_balance on payment_customers (livemode) where balance <> 0;

-- Customers of deleted accounts, whose balance is refunded. `amount` null: not read yet.
create table customer_clearings (
  customer_id text primary key,
  livemode boolean not null,
  amount bigint,
  currency text,
  attempts int not null default 0,
  next_at timestamptz not null
);

-- What users started to pay for. An order is `open` until the provider reports the outcome of its payment. A paid rental or plan
-- is `paid` until it can be used, then `fulfilled`. `returning`: paid although it is not available, for `reason`; it is refunded,
-- then `refunded`. `flagged`: the payment does not match the order, and an operator has to look; `closed`: they have dealt with it.
-- `shown_rentals`: the servers that the page said the user rents and the plan includes; null: unknown.
-- `asks_tax`, `allows_codes`: what its payment page was asked to do; `paid_…`: the totals of its payment.
-- `trouble`: why its payment is not refunded yet, besides `reason`, which its buyer reads. `replaces`: subscriptions that were
-- unpaid when the order was paid, and end with it.
create table checkout_orders (
  id uuid primary key,
  user_id uuid not null,
  livemode boolean not null,
  kind text not null check (kind in ('rental', 'plan', 'credits')),
  item_id text not null,
  description text not null,
  price_id text not null,
  amount bigint not null check (amount > 0),
  currency text not null,
  credits bigint not null check (credits >= 0),
  success_url text not null,
  cancel_url text not null,
  session_id text unique,
  checkout_url text,
  subscription_id text unique,
  payment_intent_id text,
  status text not null default 'open' check (status in
    ('open', 'paid', 'fulfilled', 'expired', 'failed', 'flagged', 'returning', 'refunded', 'closed')),
  reason text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  decided_at timestamptz,
  shown_rentals text[],
  asks_tax boolean not null default false,
  allows_codes boolean not null default false,
  paid_total bigint,
  paid_discount bigint,
  paid_tax bigint,
  trouble text,
  replaces text[] not null default '{}',
  check ((kind = 'credits') = (credits > 0))
);

-- a second click on the same button leads to the first one's page
create unique index checkout_orders_one_open on checkout_orders (user_id, livemode, kind, item_id) where status = 'open';

create index checkout_orders_by_user on checkout_orders (user_id, livemode);

create index checkout_orders_undecided on checkout_orders (created_at, id) where status in ('open', 'paid', 'returning');

create index checkout_orders_to_look_at on checkout_orders (decided_at) where status in ('flagged', 'failed');

create index checkout_orders_flagged on checkout_orders (livemode, decided_at) where status = 'flagged';

create index checkout_orders_by_payment on checkout_orders (payment_intent_id) where payment_intent_id is not null;

-- Only ids: an event's object is read from the provider when the event is handled. `next_at`: null when it is done.
create table payment_events (
  id text primary key,
  type text not null,
  object_id text not null,
  received_at timestamptz not null,
  attempts int not null default 0,
  next_at timestamptz,
  done_at timestamptz,
  error text
);

create index payment_events_due on payment_events (next_at) where next_at is not null;

create index payment_events_done on payment_events (done_at) where done_at is not null;

create index payment_events_failing on payment_events (received_at) where next_at is not null and error is not null;
