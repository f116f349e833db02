import type { Migration } from '#platform/db/database.ts';

/**
 * What people own. `livemode` as with payments: what was sold in the sandbox counts for nothing once real keys are set.
 * `cancelled_at`: it ends at the end of its period, and may be resumed until then. `ended_at`: it was taken away before.
 */
export const accessMigrations: readonly Migration[] = [
  {
    name: '0055-billing-offers',
    statements: [
      `create table plans (
        plan_id text primary key,
        name text not null,
        description text not null,
        tier text not null check (tier in ('T0', 'T1', 'T2', 'T3')),
        amount bigint not null check (amount >= 0),
        currency text not null,
        period text not null check (period in ('month')),
        features jsonb not null,
        monthly_credits bigint not null check (monthly_credits >= 0),
        active boolean not null,
        position int not null
      )`,
      `create table credit_packages (
        package_id text primary key,
        name text not null,
        credits bigint not null check (credits > 0),
        bonus bigint not null check (bonus >= 0),
        price bigint not null check (price > 0),
        currency text not null,
        active boolean not null,
        position int not null
      )`,
    ],
  },
  {
    name: '0056-billing-access',
    statements: [
      `create table subscriptions (
        id uuid primary key,
        user_id uuid not null,
        livemode boolean not null,
        plan_id text not null references plans,
        source text not null check (source in ('payment', 'administrator')),
        payment_id text unique,
        past_due boolean not null default false,
        started_at timestamptz not null,
        period_ends_at timestamptz,
        cancelled_at timestamptz,
        ended_at timestamptz
      )`,
      `create index subscriptions_by_user on subscriptions (user_id, livemode)`,
      `create table access_grants (
        id uuid primary key,
        user_id uuid not null,
        livemode boolean not null,
        server_id text not null,
        kind text not null check (kind in ('rental', 'purchase', 'trial')),
        source text not null check (source in ('payment', 'administrator', 'person')),
        period text check (period in ('daily', 'weekly', 'monthly')),
        payment_id text unique,
        features jsonb not null default '[]',
        past_due boolean not null default false,
        started_at timestamptz not null,
        period_ends_at timestamptz,
        cancelled_at timestamptz,
        ended_at timestamptz,
        check ((kind = 'rental') = (period is not null)),
        check (kind = 'purchase' or period_ends_at is not null)
      )`,
      `create index access_grants_by_user on access_grants (user_id, livemode)`,
      // once for each person and server, for ever (clarifications, Plans)
      `create unique index access_grants_one_trial on access_grants (user_id, server_id, livemode) where kind = 'trial'`,
    ],
  },
  {
    name: '0074-billing-access-ends',
    // whose clients are told that something has ended
    statements: [
      `create index subscriptions_by_end on subscriptions (period_ends_at) where ended_at is null`,
      `create index access_grants_by_end on access_grants (period_ends_at) where ended_at is null`,
    ],
  },
  {
    name: '0092-billing-renters-of-servers',
    statements: [
      `create index access_grants_rented on access_grants (server_id) where kind = 'rental' and ended_at is null`,
    ],
  },
  {
    name: '0148-billing-owners-of-servers',
    statements: [
      `create index access_grants_owned on access_grants (server_id) where kind <> 'rental' and ended_at is null`,
    ],
  },
  {
    name: '0232-billing-plans-that-include-rentals',
    // plan_since: when the plan began; null: with the subscription. ends_with_plan: the rental ends with its period once this plan is paid
    statements: [
      `alter table subscriptions add column plan_since timestamptz`,
      `alter table access_grants add column ends_with_plan text references plans`,
    ],
  },
  {
    name: '0260-billing-trial-addresses',
    // which addresses have had which trial, as keyed fingerprints: they stay when an account is deleted
    statements: [
      `create table trial_addresses (
        fingerprint text not null,
        livemode boolean not null,
        server_id text not null,
        primary key (fingerprint, livemode, server_id)
      )`,
    ],
  },
];
