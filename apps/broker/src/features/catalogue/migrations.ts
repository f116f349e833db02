import type { Migration } from '#platform/db/database.ts';
import { toolPriceMigrations } from './prices/migrations.ts';
import { runMigrations } from './runs/run-migrations.ts';

export const catalogueMigrations: readonly Migration[] = [
  {
    name: '0020-catalogue-servers',
    statements: [
      `create table servers (
        id text primary key,
        slug text not null unique,
        created_at timestamptz not null default now()
      )`,
      `create table manifest_versions (
        server_id text not null references servers,
        version text not null,
        status text not null check (status in ('staging', 'deployed', 'superseded')),
        body jsonb not null,
        sha256 text not null,
        origin text not null check (origin in ('bundled', 'admin')),
        created_by uuid,
        created_at timestamptz not null default now(),
        deployed_at timestamptz,
        primary key (server_id, version)
      )`,
      `create unique index manifest_one_staging on manifest_versions (server_id) where status = 'staging'`,
      `create unique index manifest_one_deployed on manifest_versions (server_id) where status = 'deployed'`,
      `create table capabilities (
        server_id text not null references servers,
        kind text not null check (kind in ('tool', 'prompt', 'resource', 'template')),
        name text not null,
        position int not null,
        exposed_name text not null,
        body jsonb not null,
        sha256 text not null,
        flagged boolean not null default false,
        primary key (server_id, kind, name)
      )`,
      `create unique index capabilities_exposed on capabilities (kind, exposed_name)`,
      `create table server_health (
        server_id text primary key references servers,
        status text not null check (status in ('connected', 'disconnected', 'error')),
        detail text,
        era text check (era in ('legacy', 'modern')),
        era_at timestamptz,
        instructions text,
        checked_at timestamptz not null,
        discovered_at timestamptz
      )`,
    ],
  },
  {
    name: '0021-catalogue-tool-pins',
    statements: [
      // The definition of each tool that was trusted when the version was deployed (security.md: definitions are pinned).
      `create table tool_pins (
        server_id text not null references servers,
        name text not null,
        manifest_version text not null,
        sha256 text not null,
        definition jsonb not null,
        text_changed_at timestamptz,
        primary key (server_id, name)
      )`,
      `create table tool_changes (
        id bigint generated always as identity primary key,
        server_id text not null references servers,
        tool text not null,
        kind text not null check (kind in ('text', 'definition', 'new')),
        status text not null check (status in ('pending', 'accepted', 'approved', 'rejected', 'withdrawn')),
        before jsonb,
        after jsonb not null,
        after_sha256 text not null,
        found_at timestamptz not null,
        decided_at timestamptz,
        decided_by uuid,
        reason text
      )`,
      `create unique index tool_changes_one_pending on tool_changes (server_id, tool) where status = 'pending'`,
      `create index tool_changes_by_tool on tool_changes (server_id, tool, id desc)`,
      `alter table capabilities add column held boolean not null default false`,
      `alter table capabilities add column text_changed_at timestamptz`,
    ],
  },
  {
    name: '0022-catalogue-features',
    // null: not asked since this column exists
    statements: ['alter table server_health add column features text[]'],
  },
  {
    name: '0023-tools-under-review',
    statements: ['alter table capabilities rename column held to under_review'],
  },
  {
    name: '0024-catalogue-left-out',
    statements: ['alter table server_health add column left_out text'],
  },
  {
    name: '0025-catalogue-pins-of-none',
    statements: [
      'alter table servers add column pinned_version text',
      // A server that was discovered since its deployment is pinned, also when it had no tools.
      `update servers s set pinned_version = m.version
        from manifest_versions m left join server_health h on h.server_id = m.server_id
        where m.server_id = s.id and m.status = 'deployed' and (
          exists (select from tool_pins p where p.server_id = s.id and p.manifest_version = m.version)
          or (h.discovered_at >= m.deployed_at and m.body->'auth'->>'type' = 'none'))`,
      'alter table tool_changes drop constraint tool_changes_kind_check',
      `alter table tool_changes add constraint tool_changes_kind_check
        check (kind in ('text', 'argument', 'definition', 'new'))`,
    ],
  },
  {
    name: '0026-catalogue-icons',
    statements: [
      `create table server_icons (
        server_id text primary key references servers,
        source text not null,
        sha256 text not null,
        content_type text not null check (content_type in ('image/png', 'image/jpeg', 'image/webp')),
        body bytea not null,
        fetched_at timestamptz not null
      )`,
      'create index server_icons_by_hash on server_icons (sha256)',
    ],
  },
  {
    name: '0027-catalogue-approved-lists',
    statements: [
      'alter table servers add column approved_version text',
      // A list from the manifest's snapshot (the server itself was not asked), or one that an administrator approved.
      `update servers s set approved_version = m.version
        from manifest_versions m join server_health h on h.server_id = m.server_id
        where m.server_id = s.id and m.status = 'deployed' and s.pinned_version = m.version and (
          (h.features is null and m.body->'capabilitySnapshot' is not null)
          or exists (select from audit_log a
            where a.action = 'offer.approved' and a.subject = s.id and a.at >= m.deployed_at))`,
    ],
  },
  {
    name: '0028-catalogue-asks',
    statements: [`alter table capabilities add column asks text check (asks in ('form', 'url', 'sampling', 'roots'))`],
  },
  {
    name: '0088-catalogue-order-of-fields',
    statements: [
      // json keeps the fields of a definition in the server's order, in which people and models read its parameters. jsonb
      // sorts them; rows that it has sorted are written again by the next discovery.
      `alter table capabilities alter column body type json`,
      `alter table manifest_versions alter column body type json`,
    ],
  },
  {
    name: '0091-catalogue-manifest-heads',
    statements: [
      // Lists of manifests read these: a body may have 256 KiB.
      `alter table manifest_versions
        add column reason text,
        add column name text generated always as (body->>'name') stored,
        add column service_type text generated always as (body->>'serviceType') stored,
        add column author text generated always as (body->>'author') stored,
        add column description text generated always as (body->>'description') stored,
        add column registry_name text generated always as (body->>'registryName') stored,
        add column connection json generated always as (body->'connection') stored`,
      `create index manifest_current on manifest_versions (server_id, status) where status <> 'superseded'`,
    ],
  },
  {
    name: '0093-catalogue-status-since',
    statements: ['alter table server_health add column status_since timestamptz'],
  },
  ...runMigrations,
  ...toolPriceMigrations,
  {
    name: '0152-catalogue-same-answer',
    statements: ['alter table server_health add column answer_sha256 text'],
  },
  {
    name: '0165-catalogue-ended-versions',
    statements: [
      'alter table manifest_versions add column ended_at timestamptz',
      // When they ended is not known. With this time clients that follow the registry hear of them once.
      `update manifest_versions set ended_at = now() where deployed_at is not null and status <> 'deployed'`,
    ],
  },
  {
    name: '0190-catalogue-sources',
    statements: [
      // The registry, name and version that a version was made of, and the fields as they were made.
      'alter table manifest_versions add column source json',
      `create index manifest_sources on manifest_versions (server_id, created_at desc) where source is not null`,
    ],
  },
];
