import type { Migration } from '#platform/db/database.ts';

export const registryMigrations: readonly Migration[] = [
  {
    name: '0191-upstreams-registries',
    statements: [
      `create table registries (
        id uuid primary key,
        name text not null,
        url text not null unique,
        added_at timestamptz not null
      )`,
      // What the last look found of each imported server: the newest version at its registry.
      `create table registry_updates (
        server_id text primary key references servers,
        version text not null,
        status text not null check (status in ('active', 'deprecated', 'deleted')),
        checked_at timestamptz not null
      )`,
      `create table registry_looks (
        id int primary key check (id = 1),
        ended_at timestamptz not null,
        failures jsonb not null
      )`,
    ],
  },
];
