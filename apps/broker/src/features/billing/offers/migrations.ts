import type { Migration } from '#platform/db/database.ts';

/**
 * `edited_at`: since then an administrator's edit counts, and offers.json no longer changes the offer. `file_version`: what
 * offers.json said of it at the last start. `position`: where an offer stands, which a moved one shares with no other.
 */
const edited = (table: string) => [
  `alter table ${table} add column popular boolean not null default false,
     add column revision bigint not null default 1,
     add column edited_at timestamptz, add column edited_by uuid, add column file_version jsonb`,
  `alter table ${table} alter column position type double precision`,
  `create unique index ${table}_most_popular on ${table} (popular) where popular`,
];

/**
 * `plan_prices`: what each price of the provider that a plan has had costs and brings. People who subscribed keep theirs.
 */
export const offerMigrations: readonly Migration[] = [
  {
    name: '0180-billing-edited-offers',
    statements: [
      ...edited('plans'),
      ...edited('credit_packages'),
      `update plans set popular = true where plan_id = 'pro'`,
    ],
  },
  {
    name: '0181-billing-plan-prices',
    statements: [
      `create table plan_prices (
        price_id text primary key,
        plan_id text not null references plans,
        amount bigint not null,
        currency text not null,
        monthly_credits bigint not null
      )`,
      `alter table provider_prices add column monthly_credits bigint`,
      `alter table subscriptions add column price_id text, add column price_amount bigint, add column price_currency text`,
      `create index subscriptions_renewing on subscriptions ((coalesce(next_plan_id, plan_id)), payment_id)
         where ended_at is null and source = 'payment'`,
      `create index subscriptions_unread_price on subscriptions (payment_id)
         where price_id is null and ended_at is null and source = 'payment'`,
    ],
  },
  {
    name: '0182-billing-price-moves',
    statements: [
      `create table price_moves (
        id uuid primary key,
        livemode boolean not null,
        plan_id text not null references plans,
        price_id text not null,
        amount bigint not null,
        currency text not null,
        monthly_credits bigint not null,
        started_at timestamptz not null,
        started_by uuid,
        ended_at timestamptz,
        worker uuid,
        beat timestamptz
      )`,
      `create unique index price_moves_under_way on price_moves (livemode, plan_id) where ended_at is null`,
      `create index price_moves_by_plan on price_moves (plan_id, started_at)`,
      // due_at: when the provider is told of their price; applies_at: from when they pay it
      `create table price_move_items (
        move_id uuid not null references price_moves,
        payment_id text not null,
        from_amount bigint,
        from_credits bigint,
        status text not null default 'queued' check (status in ('queued', 'moved', 'skipped', 'failed')),
        why text,
        due_at timestamptz not null,
        applies_at timestamptz not null,
        primary key (move_id, payment_id)
      )`,
      `create index price_move_items_by_subscription on price_move_items (payment_id)`,
      `create index price_move_items_queued on price_move_items (move_id, due_at) where status = 'queued'`,
    ],
  },
  {
    name: '0200-billing-outcomes-of-moves',
    statements: [
      // What became of everyone when a move ended: an offer's page would count 50,000 rows for each of its moves.
      `alter table price_moves add column outcome jsonb`,
      // Moves are never deleted, and to look that of each item up was a third of what the beginning of a large one takes.
      `alter table price_move_items drop constraint price_move_items_move_id_fkey`,
    ],
  },
];
