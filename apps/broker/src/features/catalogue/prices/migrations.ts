import type { Migration } from '#platform/db/database.ts';

export const toolPriceMigrations: readonly Migration[] = [
  {
    name: '0130-catalogue-tool-prices',
    statements: [
      // What each tool has cost, and is announced to cost: rows are added by deployments and never changed.
      `create table tool_prices (
        id bigint generated always as identity primary key,
        server_id text not null references servers,
        tool text not null,
        credits bigint not null check (credits >= 0),
        since timestamptz not null,
        announced boolean not null default false
      )`,
      `create index tool_prices_by_server on tool_prices (server_id, since, id)`,
      // What is deployed, or was last: people who are here already know these prices.
      `insert into tool_prices (server_id, tool, credits, since)
        select m.server_id, cost.key, cost.value::numeric, m.deployed_at
        from (
          select distinct on (server_id) server_id, body, deployed_at from manifest_versions
          where deployed_at is not null order by server_id, (status = 'deployed') desc, deployed_at desc
        ) m, json_each_text(m.body->'billing'->'toolCosts') cost`,
    ],
  },
];
