-- Numbers the readings of each subscription at the payment provider: a reading that started before another one and ends after it is not
-- written. `is_over`: at the provider. `end_wanted`: it is to end with its period, and the provider has not confirmed that yet.
-- `next_…`: the provider's totals of the next invoice; null where neither tax nor a discount makes it differ from the price.
create table subscription_syncs (
  payment_id text primary key,
  asked bigint not null,
  written bigint not null default 0,
  is_over boolean not null default false,
  end_wanted boolean not null default false,
  next_subtotal bigint,
  next_discount bigint,
  next_tax bigint,
  read_again boolean not null default false
);

create index subscription_syncs_end_wanted on subscription_syncs (payment_id) where end_wanted;

create index subscription_syncs_read_again on subscription_syncs (payment_id) where read_again;

-- Paid invoices whose credits are granted and which are in the history. `amount`, of which `tax`, paid for `covers_from` to
-- `covers_to`; `discount` is already deducted. `returned_at`: when a payment after the end of its subscription was refunded.
-- `balance_used`: what the invoice took from the customer's balance, negative where it added to it. `return_…`: the payment has
-- to be refunded. `return_error`: why the provider refused; an operator has to look.
create table subscription_invoices (
  invoice_id text primary key,
  payment_id text not null,
  payment_intent_id text,
  recorded_at timestamptz not null,
  amount bigint,
  currency text,
  covers_from timestamptz,
  covers_to timestamptz,
  returned_at timestamptz,
  tax bigint not null default 0,
  discount bigint not null default 0,
  change_id uuid,
  balance_used bigint not null default 0,
  return_reason text,
  return_error text,
  return_left bigint,
  return_next_at timestamptz
);

create index subscription_invoices_by_subscription on subscription_invoices (payment_id);

create index subscription_invoices_by_payment on subscription_invoices (payment_intent_id);

create index subscription_invoices_to_return on subscription_invoices (return_next_at) where return_next_at is not null;

create index subscription_invoices_not_returned on subscription_invoices (recorded_at)
  where return_error is not null and returned_at is null;

create table subscription_invoice_lines (
  invoice_id text not null,
  line_id text not null,
  payment_id text not null,
  plan_id text,
  price_id text,
  amount bigint not null,
  is_credit boolean not null,
  is_proration boolean not null,
  covers_from timestamptz not null,
  covers_to timestamptz not null,
  primary key (invoice_id, line_id)
);

create index subscription_invoice_lines_by_subscription on subscription_invoice_lines (payment_id);

-- Serializes the changes of a user's purchases. A broker that is killed or frozen leaves its row; another one takes it over after
-- `until`, by the database's clock.
create table purchase_locks (
  user_id uuid not null,
  livemode boolean not null,
  holder uuid not null,
  until timestamptz not null,
  primary key (user_id, livemode)
) with (fillfactor = 50);

-- Each change of a plan, decided before the request to the provider, where its id names it. `from_price_id`: the previous price of the
-- subscription. `proration_date` null: it starts with the next period. open: the provider may still make it; done; dropped: another
-- change replaced it, or the provider charged another amount. The payment for a dropped change is refunded.
create table plan_changes (
  id uuid primary key,
  number bigint generated always as identity,
  user_id uuid not null,
  livemode boolean not null,
  payment_id text not null,
  from_price_id text not null,
  price_id text not null,
  amount_due bigint not null,
  proration_date bigint,
  state text not null default 'open' check (state in ('open', 'done', 'dropped')),
  decided_at timestamptz not null
);

create index plan_changes_by_subscription on plan_changes (payment_id, number);
