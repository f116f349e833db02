import type { Migration } from '#platform/db/database.ts';
import { writeUsageFunction } from './usage-writer.ts';
import { dailyMigrations } from './daily/migrations.ts';

export const usageMigrations: readonly Migration[] = [
  {
    name: '0040-usage-events',
    statements: [
      // By month, so that old months are detached rather than deleted row by row (data.md, Schema).
      `create table usage_events (
        call_id uuid not null,
        user_id uuid not null,
        server_id text not null,
        kind text not null check (kind in ('tool', 'prompt', 'resource')),
        name text not null,
        outcome text not null check (outcome in ('ok', 'error', 'failed', 'refused', 'cancelled')),
        reason text,
        credits bigint not null check (credits >= 0),
        duration_ms int not null,
        client_id text not null,
        token_id text not null,
        created_at timestamptz not null,
        primary key (created_at, call_id)
      ) partition by range (created_at)`,
      `create index usage_events_by_user on usage_events (user_id, created_at desc)`,
      `create table usage_events_default partition of usage_events default`,
    ],
  },
  {
    name: '0041-usage-without-server',
    // a built-in tool, or a name that no server has
    statements: [`alter table usage_events alter column server_id drop not null`],
  },
  {
    name: '0042-usage-count',
    // refusals for rate: one row stands for several calls
    statements: [`alter table usage_events add column calls int not null default 1 check (calls >= 1)`],
  },
  {
    name: '0043-usage-rounds',
    // a call that asks its client something is one row, however many requests it takes
    statements: [`alter table usage_events add column rounds int not null default 1 check (rounds >= 1)`],
  },
  ...dailyMigrations,
  {
    name: '0074-usage-of-charged-calls',
    statements: [writeUsageFunction],
  },
  {
    name: '0067-usage-paid',
    // the history of credits must not look through calls that cost nothing, which are nearly all
    statements: [
      `create index usage_events_paid on usage_events (user_id, created_at desc, call_id desc) where credits > 0`,
    ],
  },
  {
    name: '0089-usage-livemode',
    // Whether a call was charged with credits of real payments or of the sandbox. Without charge: null.
    statements: [
      `alter table usage_events add column livemode boolean`,
      // the ledger is another feature's
      `do $$ begin
        if to_regclass('ledger_entries') is not null then
          update usage_events u set livemode = e.livemode from ledger_entries e
          where u.credits > 0 and e.idem = 'call:' || u.call_id;
        end if;
      end $$`,
      writeUsageFunction,
    ],
  },
];
