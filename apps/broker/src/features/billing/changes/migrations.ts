import type { Migration } from '#platform/db/database.ts';

/**
 * `purchase_locks`: one change of a person's purchases at a time. A broker that is killed or frozen leaves its row; another one
 * takes it over after `until`, by the clock of the database.
 *
 * `plan_changes`: each change of a plan, decided before the provider hears of it. Its id is its name there. `from_price_id`: the
 * price that the subscription had. `proration_date` null: it begins with the next period. open: the provider may still make it;
 * done; dropped: another change took its place, or the provider took another amount. What is paid for a dropped one goes back.
 *
 * `subscription_invoices.balance_used`: what the invoice took from the customer's balance, negative where it added to it.
 * `return_…`: the payment has to go back. `return_error`: why the provider refused; an operator has to look.
 *
 * `checkout_orders.trouble`: why its payment is not back yet, beside `reason`, which its buyer reads. `replaces`: subscriptions that
 * were not paid when the order was, and end with it.
 *
 * `customer_clearings`: customers of accounts that were deleted, whose balance is paid back. `amount` null: not read yet.
 */
export const changeMigrations: readonly Migration[] = [
  {
    name: '0294-billing-purchases',
    takesAway:
      'paid_plan_id was never in a release; a refund that has failed may be due again, which the last release leaves alone',
    statements: [
      `create table purchase_locks (
        user_id uuid not null,
        livemode boolean not null,
        holder uuid not null,
        until timestamptz not null,
        primary key (user_id, livemode)
      ) with (fillfactor = 50)`,
      `create table plan_changes (
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
      )`,
      `create index plan_changes_by_subscription on plan_changes (payment_id, number)`,
      `create table subscription_invoice_lines (
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
      )`,
      `create index subscription_invoice_lines_by_subscription on subscription_invoice_lines (payment_id)`,
      `alter table subscription_syncs add column read_again boolean not null default false`,
      `create index subscription_syncs_read_again on subscription_syncs (payment_id) where read_again`,
      `alter table subscription_invoices drop column paid_plan_id,
        add column change_id uuid,
        add column balance_used bigint not null default 0,
        add column return_reason text,
        add column return_error text,
        add column return_left bigint,
        add column return_next_at timestamptz`,
      `create index subscription_invoices_to_return on subscription_invoices (return_next_at) where return_next_at is not null`,
      `create index subscription_invoices_not_returned on subscription_invoices (recorded_at)
        where return_error is not null and returned_at is null`,
      `alter table checkout_orders add column trouble text, add column replaces text[] not null default '{}'`,
      `alter table payment_customers add column balance bigint not null default 0, add column balance_currency text,
        add column card_chosen_at timestamptz`,
      `create index payment_customers_with_balance on payment_customers (livemode) where balance <> 0`,
      `create table customer_clearings (
        customer_id text primary key,
        livemode boolean not null,
        amount bigint,
        currency text,
        attempts int not null default 0,
        next_at timestamptz not null
      )`,
      `alter table access_refunds drop constraint access_refunds_check,
        add constraint access_refunds_due check (state = 'failed' or (state = 'wanted') = (next_at is not null))`,
    ],
  },
];
