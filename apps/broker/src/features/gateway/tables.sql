create table gateway_preferences (
  user_id uuid primary key references users (id),
  compact_mode boolean not null,
  compact_tokens jsonb not null default '{}'
);

-- Sessions of clients up to 2025-11-25, stored so that any process can continue one. Texts, because jsonb cannot store a NUL.
-- `subscriptions`: the URIs of resources, as JSON.
create table mcp_sessions (
  id_hash text primary key,
  user_id uuid not null references users (id),
  token_id text not null,
  server_id text,
  protocol_version text not null,
  capabilities text not null,
  client_info text not null,
  log_level text,
  used_at timestamptz not null,
  subscriptions text not null default '[]'
);

create index mcp_sessions_user on mcp_sessions (user_id, used_at);

create index mcp_sessions_token on mcp_sessions (token_id);

create index mcp_sessions_used on mcp_sessions (used_at);

-- Messages that reached the wrong process. The right process deletes each when it takes it.
create table mcp_session_messages (
  id uuid primary key,
  session_hash text not null references mcp_sessions (id_hash) on delete cascade,
  user_id uuid not null,
  kind text not null check (kind in ('answer', 'cancellation', 'notice')),
  target text,
  message text not null,
  created_at timestamptz not null
);

create index mcp_session_messages_session on mcp_session_messages (session_hash);

create index mcp_session_messages_user on mcp_session_messages (user_id, created_at);

create index mcp_session_messages_created on mcp_session_messages (created_at);

-- Rounds that reached another process than the one where their call waits, and the answers on their way back.
create table mcp_round_messages (
  id uuid primary key,
  broker_id text not null,
  user_id uuid not null,
  kind text not null check (kind in ('round', 'answer')),
  target text not null,
  message text not null,
  created_at timestamptz not null
);

create index mcp_round_messages_broker on mcp_round_messages (broker_id);

create index mcp_round_messages_user on mcp_round_messages (user_id, created_at);

create index mcp_round_messages_created on mcp_round_messages (created_at);

-- Answers and cancellations that reached another process than the one that runs the tool.
create table tool_run_messages (
  id uuid primary key,
  call_id text not null,
  user_id uuid not null,
  kind text not null check (kind in ('answer', 'cancellation')),
  target text,
  message text not null,
  created_at timestamptz not null
);

create index tool_run_messages_call on tool_run_messages (call_id);

create index tool_run_messages_user on tool_run_messages (user_id, created_at);

create index tool_run_messages_created on tool_run_messages (created_at);
