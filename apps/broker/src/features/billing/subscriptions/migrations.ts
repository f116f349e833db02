import type { Migration } from '#platform/db/database.ts';

/**
 * `subscription_syncs` numbers the readings of each subscription at the payment provider: one that began before another one,
 * and ends after it, is not written; `is_over`: at the provider. `subscription_invoices`: the paid invoices whose credits are given and which are in the
 * history. `end_wanted`: it is to end with its period, and the provider has not confirmed that yet.
 */
export const subscriptionMigrations: readonly Migration[] = [
  {
    name: '0063-billing-subscriptions',
    statements: [
      `alter table subscriptions add column next_plan_id text references plans`,
      `create table subscription_syncs (
        payment_id text primary key,
        asked bigint not null,
        written bigint not null default 0,
        is_over boolean not null default false
      )`,
      `create table subscription_invoices (
        invoice_id text primary key,
        payment_id text not null,
        payment_intent_id text,
        recorded_at timestamptz not null
      )`,
      `create index subscription_invoices_by_subscription on subscription_invoices (payment_id)`,
      `create index subscription_invoices_by_payment on subscription_invoices (payment_intent_id)`,
    ],
  },
  {
    name: '0090-billing-pending-plans',
    // a higher plan that begins once its payment is made, and when it no longer can be
    statements: [
      `alter table subscriptions add column pending_plan_id text references plans, add column pending_until timestamptz`,
    ],
  },
  {
    name: '0101-billing-paid-periods',
    // what was paid for which time: of invoices that were recorded before, the next reading adds it
    statements: [
      `alter table subscription_invoices add column amount bigint, add column currency text,
         add column covers_from timestamptz, add column covers_to timestamptz`,
      `alter table subscription_syncs add column end_wanted boolean not null default false`,
      `create index subscription_syncs_end_wanted on subscription_syncs (payment_id) where end_wanted`,
    ],
  },
  {
    name: '0126-billing-late-payments',
    // when what was paid after the end of its subscription went back
    statements: [`alter table subscription_invoices add column returned_at timestamptz`],
  },
  {
    name: '0288-billing-next-charges',
    // What of a paid invoice is tax, and what a discount took off before; and what the provider says that the next invoice comes
    // to, where tax or a discount makes it another amount than the price: null where neither does.
    statements: [
      `alter table subscription_invoices add column tax bigint not null default 0,
        add column discount bigint not null default 0`,
      `alter table subscription_syncs add column next_subtotal bigint, add column next_discount bigint,
        add column next_tax bigint`,
    ],
  },
  {
    name: '0293-billing-paid-plans',
    // The plan that a paid invoice is of: the reading that records it may be older than the change that it paid.
    statements: [`alter table subscription_invoices add column paid_plan_id text`],
  },
];
