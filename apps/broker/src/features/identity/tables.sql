-- `email` has the form in which addresses are compared. `provider` is that of the user's one identity
-- (`note_provider`), next to the columns that lists are sorted by.
create table users (
  id uuid primary key,
  email text not null,
  display_name text not null,
  photo_url text,
  is_active boolean not null default true,
  created_at timestamptz not null,
  last_login_at timestamptz,
  deleted_at timestamptz,
  provider text
);

create index users_folded_email on users (email);

create index users_deleted on users (deleted_at) where deleted_at is not null;

-- A user is identified by the provider's subject, never by an e-mail address: addresses change hands. oidc:{issuer},
-- because the subjects of one provider mean nothing at another.
create table identities (
  provider text not null constraint identities_provider_known
    check (provider in ('google', 'dev') or provider like 'oidc:%'),
  subject text not null,
  user_id uuid not null references users (id),
  created_at timestamptz not null,
  primary key (provider, subject)
);

create index identities_user on identities (user_id);

-- All records of oidc-provider. Ids that are bearer values are hashed. `renewal_hash`: the renewal that used a refresh
-- token of the web app (refresh-reuse.ts). `place` and `was_seen` of an unfinished sign-in: a keyed hash of the
-- address, and whether the user has seen its page (open-interactions.ts).
create table oauth_records (
  model text not null,
  id text not null,
  payload jsonb not null,
  grant_id text,
  uid text,
  account_id text,
  created_at timestamptz not null default now(),
  expires_at timestamptz,
  consumed_at timestamptz,
  renewal_hash text,
  place text,
  was_seen boolean not null default false,
  primary key (model, id)
);

create index oauth_records_grant on oauth_records (grant_id) where grant_id is not null;

create index oauth_records_uid on oauth_records (model, uid) where uid is not null;

create index oauth_records_account on oauth_records (account_id) where account_id is not null;

create index oauth_records_expiry on oauth_records (expires_at) where expires_at is not null;

create index oauth_records_interactions on oauth_records (place, expires_at) where model = 'Interaction';

create table signing_keys (
  id text primary key,
  purpose text not null check (purpose in ('tokens', 'cookies')),
  state text not null check (state in ('next', 'current', 'retired')),
  public_key jsonb,
  sealed_key text not null,
  created_at timestamptz not null,
  state_since timestamptz not null
);

-- Replicas that start together must agree on one key.
create unique index signing_keys_current on signing_keys (purpose) where state = 'current';

create table personal_tokens (
  id uuid primary key,
  user_id uuid not null references users (id),
  name text not null,
  token_hash text not null unique,
  prefix text not null,
  scopes text[] not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  last_used_at timestamptz,
  revoked_at timestamptz
);

create index personal_tokens_user on personal_tokens (user_id, created_at);

-- Facts for users about each grant that was used. The grant itself, in oauth_records, decides whether it is valid.
-- `session_uid` names the browser's session at the authorization server, and is not its cookie. `browser_name` comes
-- from the User-Agent. `client_version` is what the client last reported, shortened.
create table authorizations (
  grant_id text primary key,
  user_id uuid not null references users (id) on delete cascade,
  client_id text not null,
  client_name text,
  client_uri text,
  redirect_host text not null,
  session_uid text,
  created_at timestamptz not null,
  last_used_at timestamptz,
  browser_name text,
  client_version text
);

create index authorizations_user on authorizations (user_id, created_at);

-- Clients' metadata documents as last fetched.
create table client_documents (
  client_id text primary key,
  metadata jsonb not null,
  fetched_at timestamptz not null,
  used_at timestamptz not null
);

create index client_documents_use on client_documents (used_at);

create table sign_ins (
  id uuid primary key,
  user_id uuid not null references users (id),
  at timestamptz not null,
  provider text not null,
  address text,
  browser_name text,
  outcome text not null check (outcome in ('signed_in', 'deactivated', 'not_allowed', 'other_account', 'not_asked'))
);

create index sign_ins_by_user on sign_ins (user_id, at desc, id desc);

create index sign_ins_by_time on sign_ins (at);
