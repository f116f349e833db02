import type { Migration } from '#platform/db/database.ts';
import { authorizationMigrations } from './oauth/migrations.ts';
import { signInMigrations } from './sign-ins/sign-in-store.ts';
import { userListMigrations } from './users/migrations.ts';

export const identityMigrations: readonly Migration[] = [
  {
    name: '0010-identity-users',
    statements: [
      `create table users (
        id uuid primary key,
        email text not null,
        display_name text not null,
        photo_url text,
        is_active boolean not null default true,
        created_at timestamptz not null,
        last_login_at timestamptz,
        deleted_at timestamptz
      )`,
      `create index users_email on users (lower(email))`,
      // A user is identified by the provider's subject, never by an e-mail address: addresses change hands.
      `create table identities (
        provider text not null check (provider in ('google', 'dev')),
        subject text not null,
        user_id uuid not null references users (id),
        created_at timestamptz not null,
        primary key (provider, subject)
      )`,
      `create index identities_user on identities (user_id)`,
    ],
  },
  {
    name: '0011-identity-oauth',
    statements: [
      // One table for everything that oidc-provider keeps. Ids of bearer values are hashed.
      `create table oauth_records (
        model text not null,
        id text not null,
        payload jsonb not null,
        grant_id text,
        uid text,
        account_id text,
        created_at timestamptz not null default now(),
        expires_at timestamptz,
        consumed_at timestamptz,
        primary key (model, id)
      )`,
      `create index oauth_records_grant on oauth_records (grant_id) where grant_id is not null`,
      `create index oauth_records_uid on oauth_records (model, uid) where uid is not null`,
      `create index oauth_records_account on oauth_records (account_id) where account_id is not null`,
      `create index oauth_records_expiry on oauth_records (expires_at) where expires_at is not null`,
      `create table signing_keys (
        id text primary key,
        purpose text not null check (purpose in ('tokens', 'cookies')),
        state text not null check (state in ('next', 'current', 'retired')),
        public_key jsonb,
        sealed_key text not null,
        created_at timestamptz not null
      )`,
      // Replicas that start together must agree on one key.
      `create unique index signing_keys_current on signing_keys (purpose) where state = 'current'`,
    ],
  },
  {
    name: '0012-identity-personal-tokens',
    statements: [
      `create table personal_tokens (
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
      )`,
      `create index personal_tokens_user on personal_tokens (user_id, created_at)`,
    ],
  },
  ...authorizationMigrations,
  {
    name: '0019-identity-company-providers',
    statements: [
      // oidc:{issuer}: the subjects of one provider say nothing at another
      `alter table identities drop constraint identities_provider_check`,
      `alter table identities add constraint identities_provider_known
         check (provider in ('google', 'dev') or provider like 'oidc:%')`,
    ],
  },
  ...userListMigrations,
  ...signInMigrations,
];
