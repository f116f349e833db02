-- Refunds of plans and rentals that administrators ended before their time. A row is written as `wanted` in the transaction
-- that ends the access, and the refund is retried until the provider has answered. `amount`: an estimate, then decided.
-- `payments`: decided once, after the subscription is over at the provider, and retried exactly as they are: [{"invoiceId",
-- "paymentIntentId", "amount", "refundId"}], the last one being the provider's refund, once it is made. A failed refund may be
-- due again.
--
-- A refund of one payment, which ends nothing, has its `transaction_id`; its `access_id` is its own id, and its `payments` are
-- decided at once.
create table access_refunds (
  id uuid primary key,
  user_id uuid not null,
  livemode boolean not null,
  access_id uuid not null unique,
  payment_id text not null,
  used_until timestamptz not null,
  state text not null default 'wanted' check (state in ('wanted', 'refunded', 'nothing_paid', 'failed')),
  amount bigint not null check (amount >= 0),
  currency text not null,
  payments jsonb,
  attempts int not null default 0,
  next_at timestamptz,
  error text,
  done_at timestamptz,
  transaction_id uuid,
  constraint access_refunds_due check (state = 'failed' or (state = 'wanted') = (next_at is not null))
);

create index access_refunds_due on access_refunds (livemode, next_at) where next_at is not null;

create index access_refunds_by_user on access_refunds (user_id, livemode);

-- refunds that an administrator still has to make
create index access_refunds_failed on access_refunds (livemode, done_at) where state = 'failed';
