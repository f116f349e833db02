import type { Migration } from '#platform/db/database.ts';

/**
 * The prices that the payment provider knows, so that a start needs no answer of it. A row is out of date where its amount or
 * currency is no longer what is offered.
 */
export const priceMigrations: readonly Migration[] = [
  {
    name: '0062-billing-prices',
    statements: [
      `create table provider_prices (
        livemode boolean not null,
        kind text not null check (kind in ('plan', 'package', 'rental')),
        offer_id text not null,
        product_id text not null,
        price_id text not null,
        amount bigint not null,
        currency text not null,
        primary key (livemode, kind, offer_id)
      )`,
    ],
  },
];
