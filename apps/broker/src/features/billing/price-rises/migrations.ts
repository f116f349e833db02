import type { Migration } from '#platform/db/database.ts';

export const priceRiseMigrations: readonly Migration[] = [
  {
    name: '0131-billing-price-approvals',
    statements: [
      // Which price of a tool a person agreed to, when and where: evidence, so that no row is ever changed.
      `create table price_approvals (
        user_id uuid not null,
        livemode boolean not null,
        server_id text not null,
        tool text not null,
        credits bigint not null check (credits > 0),
        approved_at timestamptz not null,
        via text not null check (via in ('form', 'page')),
        primary key (user_id, livemode, server_id, tool, credits)
      )`,
    ],
  },
];
