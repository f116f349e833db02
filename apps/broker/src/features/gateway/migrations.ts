import type { Migration } from '#platform/db/database.ts';

export const gatewayMigrations: readonly Migration[] = [
  {
    name: '0050-gateway-preferences',
    statements: [
      `create table gateway_preferences (
        user_id uuid primary key references users (id),
        compact_mode boolean not null,
        compact_tokens jsonb not null default '{}'
      )`,
    ],
  },
];
