import type { Migration } from '#platform/db/database.ts';

/**
 * What people began to pay for, and what the payment provider told us of it.
 *
 * An order is `open` until the provider says what became of its payment. A paid rental or plan is `paid` until it can be
 * used, then `fulfilled`. `returning`: paid although it cannot be had; given back, then `refunded`. `flagged`: what was paid is
 * not what was ordered, and an operator has to look; `closed`: they have dealt with it.
 */
export const checkoutMigrations: readonly Migration[] = [
  {
    name: '0058-billing-checkout',
    statements: [
      `create table payment_customers (
        user_id uuid not null,
        livemode boolean not null,
        customer_id text not null unique,
        primary key (user_id, livemode)
      )`,
      `create table checkout_orders (
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
          ('open', 'paid', 'fulfilled', 'expired', 'failed', 'flagged', 'duplicate', 'refunded')),
        reason text,
        created_at timestamptz not null,
        expires_at timestamptz not null,
        decided_at timestamptz,
        check ((kind = 'credits') = (credits > 0))
      )`,
      // a second click on the same button leads to the first one's page
      `create unique index checkout_orders_one_open on checkout_orders (user_id, livemode, kind, item_id)
        where status = 'open'`,
      `create index checkout_orders_by_user on checkout_orders (user_id, livemode)`,
      `create index checkout_orders_undecided on checkout_orders (created_at, id)
        where status in ('open', 'paid', 'duplicate')`,
    ],
  },
  {
    name: '0059-billing-payment-events',
    // Ids alone: what an event is about is asked of the provider when the event is handled. next_at: null when it is done.
    statements: [
      `create table payment_events (
        id text primary key,
        type text not null,
        object_id text not null,
        received_at timestamptz not null,
        attempts int not null default 0,
        next_at timestamptz,
        done_at timestamptz,
        error text
      )`,
      `create index payment_events_due on payment_events (next_at) where next_at is not null`,
      `create index payment_events_done on payment_events (done_at) where done_at is not null`,
    ],
  },
  {
    name: '0116-billing-customers',
    // the address and the card of a customer that the provider was last told, or told us
    statements: [`alter table payment_customers add column email text, add column card_id text`],
  },
  {
    name: '0115-billing-orders-given-back',
    // `returning` was `duplicate`: there are other reasons, which `reason` names. `closed`: dealt with by the operator.
    statements: [
      `alter table checkout_orders drop constraint checkout_orders_status_check`,
      `update checkout_orders set status = 'returning', reason = coalesce(reason, 'paid twice') where status = 'duplicate'`,
      `alter table checkout_orders add constraint checkout_orders_status_check check (status in
        ('open', 'paid', 'fulfilled', 'expired', 'failed', 'flagged', 'returning', 'refunded', 'closed'))`,
      `drop index checkout_orders_undecided`,
      `create index checkout_orders_undecided on checkout_orders (created_at, id)
        where status in ('open', 'paid', 'returning')`,
      `create index checkout_orders_to_look_at on checkout_orders (decided_at) where status in ('flagged', 'failed')`,
      `create index checkout_orders_by_payment on checkout_orders (payment_intent_id) where payment_intent_id is not null`,
    ],
  },
  {
    name: '0281-billing-orders-with-shown-rentals',
    // shown_rentals: the servers that the person was told they rent and the plan includes. null: it is not known
    statements: [`alter table checkout_orders add column shown_rentals text[]`],
  },
  {
    name: '0286-billing-orders-with-tax',
    // What the payment page of an order was asked to do, and what its payment came to. Orders that a broker of the last release
    // writes ask for neither, as their pages do.
    statements: [
      `alter table checkout_orders add column asks_tax boolean not null default false,
        add column allows_codes boolean not null default false,
        add column paid_total bigint, add column paid_discount bigint, add column paid_tax bigint`,
    ],
  },
];
