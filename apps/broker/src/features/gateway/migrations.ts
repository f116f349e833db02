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
  {
    name: '0051-gateway-sessions',
    statements: [
      // What a session up to 2025-11-25 needs to be taken up by any process. Text, since jsonb cannot store a NUL.
      `create table mcp_sessions (
        id_hash text primary key,
        user_id uuid not null references users (id),
        token_id text not null,
        server_id text,
        protocol_version text not null,
        capabilities text not null,
        client_info text not null,
        log_level text,
        used_at timestamptz not null
      )`,
      `create index mcp_sessions_user on mcp_sessions (user_id, used_at)`,
      `create index mcp_sessions_token on mcp_sessions (token_id)`,
      `create index mcp_sessions_used on mcp_sessions (used_at)`,
    ],
  },
];
