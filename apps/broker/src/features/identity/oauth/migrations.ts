import type { Migration } from '#platform/db/database.ts';

export const authorizationMigrations: readonly Migration[] = [
  {
    name: '0018-identity-authorizations',
    statements: [
      // What a person should know of each grant that was used. The grant itself, in oauth_records, decides whether it counts.
      `create table authorizations (
        grant_id text primary key,
        user_id uuid not null references users (id) on delete cascade,
        client_id text not null,
        client_name text,
        client_uri text,
        redirect_host text not null,
        -- names the authorization server's session of the browser; not its cookie
        session_uid text,
        created_at timestamptz not null,
        last_used_at timestamptz
      )`,
      `create index authorizations_user on authorizations (user_id, created_at)`,
    ],
  },
  {
    name: '0019-identity-key-ages',
    statements: [
      `alter table signing_keys add column state_since timestamptz`,
      `update signing_keys set state_since = created_at`,
      `alter table signing_keys alter column state_since set not null`,
    ],
  },
  {
    name: '0019-identity-web-sessions',
    statements: [
      // of a refresh token of the web: the renewal that used it (refresh-reuse.ts)
      `alter table oauth_records add column renewal_hash text`,
      // of a browser: what to call it, from its User-Agent
      `alter table authorizations add column browser_name text`,
    ],
  },
  {
    name: '0028-identity-client-documents',
    statements: [
      // clients' metadata documents as they were when they were last fetched
      `create table client_documents (
        client_id text primary key,
        metadata jsonb not null,
        fetched_at timestamptz not null,
        used_at timestamptz not null
      )`,
      `create index client_documents_use on client_documents (used_at)`,
    ],
  },
  {
    name: '0029-identity-client-versions',
    statements: [
      // what a client told last, shortened: beside its name it says which of several it is
      `alter table authorizations add column client_version text`,
    ],
  },
  {
    name: '0155-identity-places-of-interactions',
    statements: [
      // of a sign-in that was begun: a keyed hash of the address, and whether a person has seen its page (open-interactions.ts)
      `alter table oauth_records add column place text`,
      `alter table oauth_records add column was_seen boolean not null default false`,
      `create index oauth_records_interactions on oauth_records (place, expires_at) where model = 'Interaction'`,
    ],
  },
];
