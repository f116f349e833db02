import type { Migration } from '#platform/db/database.ts';

export const diagnosticsMigrations: readonly Migration[] = [
  {
    name: '0017-identity-connection-log',
    statements: [
      `create table connection_attempts (
        id uuid primary key,
        key text not null unique,
        -- null while the person has not signed in yet: shown to nobody, forgotten within minutes
        user_id uuid references users (id) on delete cascade,
        client_id text,
        client_name text,
        user_agent text,
        era text check (era in ('legacy', 'modern')),
        protocol_version text,
        -- step -> epoch milliseconds
        first_passed jsonb not null,
        last_passed jsonb not null,
        -- step -> {atMs, reason, facts}
        failed jsonb not null,
        started_at timestamptz not null,
        last_at timestamptz not null
      )`,
      `create index connection_attempts_user on connection_attempts (user_id, last_at)`,
      `create index connection_attempts_last on connection_attempts (last_at)`,
      `create table connection_sightings (
        source text not null,
        step text not null check (step in ('discovery', 'registration')),
        client_name text,
        user_agent text,
        refusal text,
        at timestamptz not null,
        primary key (source, step)
      )`,
      `create index connection_sightings_at on connection_sightings (at)`,
    ],
  },
  {
    // sorts behind the tables that it changes
    name: '0017-identity-connection-log-strangers',
    statements: [
      // what was joined by address and agent may be of somebody else
      `delete from connection_attempts where client_id = 'refused'`,
      `update connection_attempts set first_passed = first_passed - 'discovery' - 'registration' where client_id is null`,
      `delete from connection_sightings`,
      `alter table connection_sightings
         drop constraint connection_sightings_pkey,
         drop column step, drop column client_name, drop column user_agent, drop column refusal,
         add primary key (source)`,
    ],
  },
  {
    name: '0017-identity-connection-log-without-sightings',
    statements: [
      // asking where to sign in is no step any more: behind one address there may be many people
      `drop table connection_sightings`,
      `update connection_attempts set first_passed = first_passed - 'discovery', last_passed = last_passed - 'discovery'
       where first_passed ? 'discovery' or last_passed ? 'discovery'`,
    ],
  },
  {
    name: '0017-identity-connection-log-versions',
    statements: [`alter table connection_attempts add column client_version text`],
  },
  {
    name: '0018-client-document-faults',
    statements: [
      `create table client_document_faults (
        client_id text primary key,
        -- of a client that we ship the document of
        known_name text,
        fault text not null,
        has_copy boolean not null,
        times integer not null,
        first_at timestamptz not null,
        last_at timestamptz not null
      )`,
      `create index client_document_faults_last on client_document_faults (last_at)`,
    ],
  },
];
