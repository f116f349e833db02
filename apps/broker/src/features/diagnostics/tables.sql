-- `user_id` is null until the user has signed in: such a row is never shown, and is deleted within minutes.
-- `first_passed`, `last_passed`: {step: epoch milliseconds}. `failed`: {step: {atMs, reason, facts}}.
create table connection_attempts (
  id uuid primary key,
  key text not null unique,
  user_id uuid references users (id) on delete cascade,
  client_id text,
  client_name text,
  user_agent text,
  era text check (era in ('legacy', 'modern')),
  protocol_version text,
  first_passed jsonb not null,
  last_passed jsonb not null,
  failed jsonb not null,
  started_at timestamptz not null,
  last_at timestamptz not null,
  client_version text
);

create index connection_attempts_user on connection_attempts (user_id, last_at);

create index connection_attempts_last on connection_attempts (last_at);

-- `known_name`: the name of a client whose document we ship.
create table client_document_faults (
  client_id text primary key,
  known_name text,
  fault text not null,
  has_copy boolean not null,
  times integer not null,
  first_at timestamptz not null,
  last_at timestamptz not null
);

create index client_document_faults_last on client_document_faults (last_at);
