-- One row per server that a user has switched off: two concurrent changes touch two rows, and neither is lost.
create table user_server_prefs (
  user_id uuid not null references users (id),
  server_id text not null references servers (id),
  disabled_at timestamptz not null,
  primary key (user_id, server_id)
);

-- Sign-ins under way, each used once. The sealed part contains the PKCE verifier.
create table upstream_sign_ins (
  id uuid primary key,
  state_hash text not null unique,
  browser_hash text not null,
  user_id uuid not null references users (id),
  server_id text not null references servers (id),
  sealed text not null,
  expires_at timestamptz not null
);

create index upstream_sign_ins_expiry on upstream_sign_ins (expires_at);

-- A user's account at a server ("upstream account" in code): tokens or headers, for one address only.
-- `scopes`: requested by the sign-in. `wanted_scopes`: requested by the server since.
create table upstream_connections (
  user_id uuid not null references users (id),
  server_id text not null references servers (id),
  id uuid not null unique,
  kind text not null check (kind in ('oauth', 'headers')),
  state text not null check (state in ('signed-in', 'needs-sign-in')),
  bound_to text not null,
  issuer text,
  sealed text,
  version int not null,
  expires_at timestamptz,
  signed_in_at timestamptz not null,
  refreshed_at timestamptz,
  refresh_until timestamptz,
  account text,
  error text,
  scopes jsonb not null default '[]',
  wanted_scopes jsonb not null default '[]',
  primary key (user_id, server_id)
);

-- What a server offers to one user's account. The database deletes it with the account, so that a discovery that is still
-- under way cannot store anything after a disconnect. `items` is json, which keeps the server's order of fields. If several
-- servers of a user have the same address, the first one (`first_at`) keeps it.
create table personal_tools (
  user_id uuid not null,
  server_id text not null,
  manifest_version text not null,
  revision text not null,
  items json not null,
  pins jsonb not null,
  discovered_at timestamptz not null,
  first_at timestamptz not null default now(),
  primary key (user_id, server_id),
  foreign key (user_id, server_id) references upstream_connections (user_id, server_id) on delete cascade
);

-- Does not reference servers: the days of a removed server are kept as long as others.
create table server_health_days (
  server_id text not null,
  day date not null,
  up integer not null,
  down integer not null,
  primary key (server_id, day)
);

create index server_health_days_day on server_health_days (day);

-- The running connection test of each administrator, one across all brokers. The test of a broker that died expires.
create table connection_tests (
  user_id uuid primary key references users (id) on delete cascade,
  id uuid not null,
  expires_at timestamptz not null
);

-- Where users of a server may sign in. An administrator confirms a pair: a server, and an authorization server with its
-- endpoints (`place`, sign-in/issuers/issuer-place.ts). `refused_…`: the last refused pair.
create table upstream_issuers (
  server_id text primary key references servers (id),
  confirmed_at timestamptz,
  refused_at timestamptz,
  place jsonb,
  refused_place jsonb,
  last_endpoint text
);

create index upstream_issuers_refused on upstream_issuers (server_id) where refused_place is not null;

-- Our registrations at authorization servers (RFC 7591). Two servers with the same issuer have separate ones.
create table upstream_registrations (
  id uuid primary key,
  server_id text not null references servers (id),
  issuer text not null,
  token_endpoint text not null,
  redirect_uri text not null,
  client_id text not null,
  sealed_secret text,
  auth_method text not null,
  expires_at timestamptz,
  created_at timestamptz not null,
  unique (server_id, issuer, token_endpoint, redirect_uri)
);

-- Secrets that administrators enter for servers, each for one place only, to which the seal is bound too.
create table server_secrets (
  server_id text not null references servers (id),
  kind text not null check (kind in ('header', 'variable')),
  name text not null,
  place_hash text not null,
  place text not null,
  sealed text not null,
  set_by uuid,
  set_at timestamptz not null,
  primary key (server_id, kind, name, place_hash)
);

-- Private addresses that administrators allow. `addresses`: what a name resolved to when it was allowed.
create table allowed_addresses (
  entry text primary key,
  addresses jsonb not null,
  note text not null,
  added_by uuid,
  added_at timestamptz not null
);

-- npm packages that administrators allow, with the hashes of everything that is installed.
create table allowed_packages (
  alias text primary key,
  form jsonb not null,
  integrity text not null,
  lock text not null,
  added_by uuid,
  added_at timestamptz not null
);

-- The only address of a server that gets the headers which the operator set by environment.
create table environment_places (
  server_id text primary key references servers (id),
  place text not null,
  bound_at timestamptz not null
);

-- The certificate of the last connection to a server, written only when it changes.
create table server_certificates (
  server_id text primary key references servers (id) on delete cascade,
  valid_until timestamptz not null,
  issuer text,
  seen_at timestamptz not null
);

create index server_certificates_ending on server_certificates (valid_until);

create table registries (
  id uuid primary key,
  name text not null,
  url text not null unique,
  added_at timestamptz not null
);

-- The newest version of each imported server at its registry, as of the last check.
create table registry_updates (
  server_id text primary key references servers,
  version text not null,
  status text not null check (status in ('active', 'deprecated', 'deleted')),
  checked_at timestamptz not null
);

create table registry_looks (
  id int primary key check (id = 1),
  ended_at timestamptz not null,
  failures jsonb not null
);
