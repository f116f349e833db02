import type { Migration } from '#platform/db/database.ts';

export const runMigrations: readonly Migration[] = [
  {
    name: '0091-catalogue-manifest-runs',
    statements: [
      `create table manifest_runs (
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
        takeovers int not null default 0
      )`,
      // a second one of a kind joins the first
      `create unique index manifest_runs_one_running on manifest_runs (kind) where status = 'running'`,
      `create table manifest_run_items (
        run_id uuid not null references manifest_runs on delete cascade,
        server_id text not null,
        version text not null,
        status text not null default 'queued' check (status in ('queued', 'working', 'done', 'failed')),
        message text,
        change int not null default 0,
        primary key (run_id, server_id)
      )`,
    ],
  },
  {
    name: '0147-catalogue-runs-that-ask',
    statements: [
      `alter table manifest_run_items drop constraint manifest_run_items_status_check,
        add constraint manifest_run_items_status_check
          check (status in ('queued', 'working', 'asking', 'done', 'unanswered', 'failed'))`,
    ],
  },
  { name: '0296-catalogue-run-reasons', statements: [`alter table manifest_runs add column reason text`] },
];
