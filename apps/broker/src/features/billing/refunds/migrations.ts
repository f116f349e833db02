import type { Migration } from '#platform/db/database.ts';

/**
 * What administrators pay back of plans and rentals that they ended before their time. A row is written with the end, `wanted`,
 * and the provider is asked until it has answered. `amount`: expected, then decided. `payments`: decided once, after the
 * subscription is over at the provider, and repeated exactly as they are:
 * [{"invoiceId", "paymentIntentId", "amount", "refundId"}], the last of the provider, once it has made it.
 *
 * A refund of one payment, which ends nothing, has its `transaction_id`; its `access_id` is its own id, and `payments` are
 * decided with the wish.
 */
export const refundMigrations: readonly Migration[] = [
  {
    name: '0102-billing-refunds',
    statements: [
      `create table access_refunds (
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
        check ((state = 'wanted') = (next_at is not null))
      )`,
      `create index access_refunds_due on access_refunds (livemode, next_at) where next_at is not null`,
      `create index access_refunds_by_user on access_refunds (user_id, livemode)`,
    ],
  },
  {
    name: '0103-billing-renters',
    // who rents a server now
    statements: [
      `create index access_grants_renters on access_grants (server_id, livemode, id)
        where kind = 'rental' and ended_at is null`,
    ],
  },
  {
    name: '0175-billing-payment-refunds',
    statements: [`alter table access_refunds add column transaction_id uuid`],
  },
  {
    name: '0221-billing-failed-refunds',
    // what an administrator still has to pay back
    statements: [`create index access_refunds_failed on access_refunds (livemode, done_at) where state = 'failed'`],
  },
];
