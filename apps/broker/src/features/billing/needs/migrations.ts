import type { Migration } from '#platform/db/database.ts';

/**
 * What an operator is asked to look at. `disputes`: of payments, as the provider had them last; `due_by`: until when it takes an
 * answer. `past_due_since` is null where it was past due before this was kept. `ledger_checks`: the last check alone.
 */
export const needMigrations: readonly Migration[] = [
  {
    name: '0172-billing-disputes',
    statements: [
      `create table disputes (
        id text primary key,
        livemode boolean not null,
        user_id uuid,
        description text,
        status text not null,
        reason text not null,
        amount bigint not null,
        currency text not null,
        opened_at timestamptz not null,
        due_by timestamptz
      )`,
      `create index disputes_to_answer on disputes (livemode, due_by)
        where status in ('needs_response', 'warning_needs_response')`,
    ],
  },
  {
    name: '0173-billing-needs',
    statements: [
      ...['subscriptions', 'access_grants'].flatMap((table) => [
        `alter table ${table} add column past_due_since timestamptz`,
        `create index ${table}_past_due on ${table} (livemode, past_due_since) where past_due and ended_at is null`,
      ]),
      `create index payment_events_failing on payment_events (received_at) where next_at is not null and error is not null`,
      `create index checkout_orders_flagged on checkout_orders (livemode, decided_at) where status = 'flagged'`,
      `create index audit_log_of_reconcilers on audit_log (at)
        where action in ('payment.found-by-reconciler', 'subscription.found-by-reconciler')`,
      `create table ledger_checks (
        only_row boolean primary key default true check (only_row),
        checked_at timestamptz not null,
        faults jsonb not null
      )`,
    ],
  },
  {
    name: '0183-billing-disputed-payments',
    statements: [
      `alter table disputes add column payment_intent_id text`,
      // of one that is open from before, the next event says which payment it is of
      `update disputes d set payment_intent_id = t.payment_intent_id from transactions t where t.idem = 'dispute:' || d.id`,
      `create index disputes_of_payment on disputes (payment_intent_id)`,
    ],
  },
];
