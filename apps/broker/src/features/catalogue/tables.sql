-- `pinned_version`: the version whose tools are in tool_pins, even if there are none. `approved_version`: the version
-- whose list an administrator approved, or whose list came from the manifest's snapshot.
create table servers (
  id text primary key,
  slug text not null unique,
  created_at timestamptz not null default now(),
  pinned_version text,
  approved_version text
);

-- `body` is json, as are definitions of tools: it keeps the order of fields. Lists read the generated columns, because
-- a body may have 256 KiB. `source`: registry, name and version that it was imported from, and the imported fields.
create table manifest_versions (
  server_id text not null references servers,
  version text not null,
  status text not null check (status in ('staging', 'deployed', 'superseded')),
  body json not null,
  sha256 text not null,
  origin text not null check (origin in ('bundled', 'admin')),
  created_by uuid,
  created_at timestamptz not null default now(),
  deployed_at timestamptz,
  reason text,
  name text generated always as (body->>'name') stored,
  service_type text generated always as (body->>'serviceType') stored,
  author text generated always as (body->>'author') stored,
  description text generated always as (body->>'description') stored,
  registry_name text generated always as (body->>'registryName') stored,
  connection json generated always as (body->'connection') stored,
  ended_at timestamptz,
  source json,
  primary key (server_id, version)
);

create unique index manifest_one_staging on manifest_versions (server_id) where status = 'staging';

create unique index manifest_one_deployed on manifest_versions (server_id) where status = 'deployed';

create index manifest_current on manifest_versions (server_id, status) where status <> 'superseded';

create index manifest_sources on manifest_versions (server_id, created_at desc) where source is not null;

create table capabilities (
  server_id text not null references servers,
  kind text not null check (kind in ('tool', 'prompt', 'resource', 'template')),
  name text not null,
  position int not null,
  exposed_name text not null,
  body json not null,
  sha256 text not null,
  flagged boolean not null default false,
  under_review boolean not null default false,
  text_changed_at timestamptz,
  asks text check (asks in ('form', 'url', 'sampling', 'roots')),
  primary key (server_id, kind, name)
);

create unique index capabilities_exposed on capabilities (kind, exposed_name);

-- `features` null: the server was not asked yet.
create table server_health (
  server_id text primary key references servers,
  status text not null check (status in ('connected', 'disconnected', 'error')),
  detail text,
  era text check (era in ('legacy', 'modern')),
  era_at timestamptz,
  instructions text,
  checked_at timestamptz not null,
  discovered_at timestamptz,
  features text[],
  left_out text,
  status_since timestamptz,
  answer_sha256 text
);

-- The definition of each tool that was trusted when the version was deployed.
create table tool_pins (
  server_id text not null references servers,
  name text not null,
  manifest_version text not null,
  sha256 text not null,
  definition jsonb not null,
  text_changed_at timestamptz,
  primary key (server_id, name)
);

create table tool_changes (
  id bigint generated always as identity primary key,
  server_id text not null references servers,
  tool text not null,
  kind text not null check (kind in ('text', 'argument', 'definition', 'new')),
  status text not null check (status in ('pending', 'accepted', 'approved', 'rejected', 'withdrawn')),
  before jsonb,
  after jsonb not null,
  after_sha256 text not null,
  found_at timestamptz not null,
  decided_at timestamptz,
  decided_by uuid,
  reason text
);

create unique index tool_changes_one_pending on tool_changes (server_id, tool) where status = 'pending';

create index tool_changes_by_tool on tool_changes (server_id, tool, id desc);

create table server_icons (
  server_id text primary key references servers,
  source text not null,
  sha256 text not null,
  content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
  body bytea not null,
  fetched_at timestamptz not null
);

create index server_icons_by_hash on server_icons (sha256);

-- Past and announced prices of tools: deployments add rows and never change them.
create table tool_prices (
  id bigint generated always as identity primary key,
  server_id text not null references servers,
  tool text not null,
  credits bigint not null check (credits >= 0),
  since timestamptz not null,
  announced boolean not null default false
);

create index tool_prices_by_server on tool_prices (server_id, since, id);

create table manifest_runs (
  id uuid primary key,
  kind text not null check (kind in ('reload', 'deploy-all')),
  status text not null default 'running' check (status in ('running', 'done', 'interrupted')),
  via text not null,
  started_by uuid,
  started_at timestamptz not null,
  ended_at timestamptz,
  changes int not null default 0,
  broker_id uuid,
  beat_at timestamptz not null default clock_timestamp(),
  takeovers int not null default 0,
  reason text
);

-- A second run of a kind joins the first.
create unique index manifest_runs_one_running on manifest_runs (kind) where status = 'running';

create table manifest_run_items (
  run_id uuid not null references manifest_runs on delete cascade,
  server_id text not null,
  version text not null,
  status text not null default 'queued' check (status in ('queued', 'working', 'asking', 'done', 'unanswered', 'failed')),
  message text,
  change int not null default 0,
  primary key (run_id, server_id)
);
