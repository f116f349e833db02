-- Payments and refunds (docs/retention.md says how long). `idem` is the idempotency key: `order:{id}`, `invoice:{id}`, `refund:{id}`,
-- `cancel:{subscription}:{period end}`. `tax` is part of `amount`; `discount` is already deducted from it.
create table transactions (
  id uuid primary key,
  user_id uuid not null,
  livemode boolean not null,
  type text not null check (type in ('credit_purchase', 'subscription_create', 'subscription_update',
    'subscription_cancel', 'rental_create', 'rental_cancel', 'refund')),
  status text not null check (status in ('pending', 'completed', 'failed', 'refunded')),
  description text not null,
  server_id text,
  amount bigint not null check (amount >= 0),
  currency text not null,
  receipt_url text,
  payment_intent_id text,
  invoice_id text,
  idem text not null unique,
  created_at timestamptz not null,
  tax bigint not null default 0 check (tax between 0 and amount),
  discount bigint not null default 0 check (discount >= 0)
);

create index transactions_by_user on transactions (user_id, livemode, created_at desc, id desc);

create index transactions_by_payment on transactions (payment_intent_id) where payment_intent_id is not null;

create index transactions_by_server on transactions (server_id, livemode, created_at) where server_id is not null;

create index transactions_by_invoice on transactions (invoice_id) where invoice_id is not null;
