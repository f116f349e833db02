-- Disputes of payments, in the provider's last known state. `due_by`: deadline for an answer.
create table disputes (
  id text primary key,
  livemode boolean not null,
  user_id uuid,
  description text,
  status text not null,
  reason text not null,
  amount bigint not null,
  currency text not null,
  opened_at timestamptz not null,
  due_by timestamptz,
  payment_intent_id text
);

create index disputes_to_answer on disputes (livemode, due_by) where status in ('needs_response', 'warning_needs_response');

create index disputes_of_payment on disputes (payment_intent_id);

-- The last check only.
create table ledger_checks (
  only_row boolean primary key default true check (only_row),
  checked_at timestamptz not null,
  faults jsonb not null
);

create index audit_log_of_reconcilers on audit_log (at)
  where action in ('payment.found-by-reconciler', 'subscription.found-by-reconciler');
