import { onlyErasure } from '#platform/audit/erased-reasons.ts';
import { priceRiseMigrations } from './price-rises/migrations.ts';
import type { Migration } from '#platform/db/database.ts';
import { accessMigrations } from './access/migrations.ts';
import { changeMigrations } from './changes/migrations.ts';
import { checkoutMigrations } from './checkout/migrations.ts';
import { accountFunctions } from './ledger/account-functions.ts';
import { leaseAnswer, leaseFunctions } from './ledger/lease-functions.ts';
import { figureMigrations } from './figures/migrations.ts';
import { historyMigrations } from './history/migrations.ts';
import { offerMigrations } from './offers/migrations.ts';
import { needMigrations } from './needs/migrations.ts';
import { priceMigrations } from './prices/migrations.ts';
import { refundMigrations } from './refunds/migrations.ts';
import { welcomeMigrations } from './welcome/migrations.ts';
import { subscriptionMigrations } from './subscriptions/migrations.ts';

/** Rows that are updated often leave room on their page, so that an update touches no index (ledger.md, trap 6). */
const updatedOften = 'with (fillfactor = 50)';

export const billingMigrations: readonly Migration[] = [
  {
    name: '0035-billing-ledger',
    statements: [
      // Credits bought with a live key and those of the sandbox never meet: each person has an account of each.
      `create table credit_accounts (
        user_id uuid not null,
        livemode boolean not null,
        balance bigint not null default 0 check (balance >= 0),
        held bigint not null default 0 check (held >= 0),
        debt bigint not null default 0 check (debt >= 0),
        closed boolean not null default false,
        monthly_cap bigint check (monthly_cap >= 0),
        month date not null default '-infinity',
        month_spent bigint not null default 0 check (month_spent >= 0),
        next_expiry timestamptz,
        primary key (user_id, livemode),
        check (held <= balance)
      ) ${updatedOften}`,
      // The names of the sources sort in the order in which credits are spent.
      `create table credit_lots (
        id uuid primary key,
        user_id uuid not null,
        livemode boolean not null,
        source text not null check (source in ('plan', 'promotional', 'purchased')),
        idem text not null unique,
        granted bigint not null check (granted > 0),
        remaining bigint not null check (remaining between 0 and granted),
        clawed bigint not null default 0 check (clawed between 0 and granted),
        expires_at timestamptz,
        open boolean generated always as (remaining > 0) stored,
        foreign key (user_id, livemode) references credit_accounts
      ) ${updatedOften}`,
      `create index credit_lots_open on credit_lots (user_id, livemode) where open`,
      // A broker without a row is dead, and what it held goes back.
      `create table credit_brokers (
        id uuid primary key,
        since timestamptz not null,
        beat timestamptz not null
      ) ${updatedOften}`,
      // call_id: of a call of several rounds, which only one lease at a time may be for.
      `create table credit_leases (
        id uuid primary key,
        user_id uuid not null,
        livemode boolean not null,
        broker_id uuid not null,
        call_id uuid unique,
        granted bigint not null,
        spent bigint not null default 0,
        state text not null default 'open' check (state in ('open', 'asked', 'draining')),
        check (0 <= spent and spent < granted),
        foreign key (user_id, livemode) references credit_accounts
      ) ${updatedOften}`,
      `create index credit_leases_by_account on credit_leases (user_id, livemode)`,
      `create index credit_leases_by_broker on credit_leases (broker_id)`,
      `create table ledger_entries (
        id bigint generated always as identity primary key,
        user_id uuid not null,
        livemode boolean not null,
        delta bigint not null check (delta <> 0),
        contra text not null check (contra in
          ('plan', 'promotional', 'purchased', 'usage', 'expiry', 'refund', 'dispute', 'adjustment')),
        balance_after bigint not null,
        idem text not null unique,
        reason text,
        at timestamptz not null default now()
      )`,
      `create index ledger_entries_by_account on ledger_entries (user_id, livemode, id desc)`,
      `create function refuse_ledger_change() returns trigger language plpgsql as
        $$ begin raise exception 'ledger_entries is append-only'; end $$`,
      `create trigger ledger_entries_append_only before update or delete or truncate on ledger_entries
        for each statement execute function refuse_ledger_change()`,
    ],
  },
  {
    name: '0036-billing-lot-numbers',
    // of lots that are alike otherwise, the oldest is spent first
    statements: [`alter table credit_lots add column number bigint generated always as identity`],
  },
  {
    name: '0070-billing-free-aborts',
    // Calls that a client aborted after dispatch and that were not charged, of the last hour.
    statements: [
      `create table credit_free_aborts (
        call_id uuid primary key,
        user_id uuid not null,
        livemode boolean not null,
        at timestamptz not null
      )`,
      `create index credit_free_aborts_by_account on credit_free_aborts (user_id, livemode)`,
    ],
  },
  {
    name: '0075-billing-ledger-functions',
    // a batch is one round trip, and its plans are made once
    statements: [leaseAnswer, ...accountFunctions, ...leaseFunctions],
  },
  {
    name: '0085-billing-ended-calls',
    // Calls that ended and are yet to be charged, of 10 ms each. A broker writes, charges and deletes its own.
    statements: [
      `create table credit_ended_calls (
        id uuid primary key,
        broker_id uuid not null,
        livemode boolean not null,
        calls text not null
      )`,
      // read only after a kill: compressing it would be for nothing
      `alter table credit_ended_calls alter column calls set storage external`,
    ],
  },
  {
    name: '0086-billing-ledger-plans',
    // some were planned as a look through a whole index
    statements: [...accountFunctions, ...leaseFunctions],
  },
  {
    name: '0088-billing-entries-of-batches',
    // an entry for what a batch charges an account (decision 0044); notes of calls are written shorter
    statements: [
      `alter table ledger_entries add column calls uuid[]`,
      `delete from credit_ended_calls`,
      ...leaseFunctions,
    ],
  },
  {
    name: '0111-billing-erased-reasons',
    // a deleted person's address goes from the reasons that administrators gave, and nothing else ever changes
    statements: [
      ...onlyErasure('ledger_entries', 'refuse_ledger_change'),
      `create index ledger_entries_with_reason on ledger_entries (id) where reason is not null`,
      `create function erase_address_in_ledger(address text) returns void language plpgsql as $$
        begin
          if address = '' then return; end if;
          perform set_config('souk.erased_address', address, true);
          update ledger_entries set reason = without_address(reason, address)
            where reason is not null and position(lower(address) in lower(reason)) > 0;
          perform set_config('souk.erased_address', '', true);
        end
      $$`,
    ],
  },
  {
    name: '0113-billing-expired-credits',
    // What expired unspent is not taken back with its payment. Of earlier expiries only their sum is known: each lot that is
    // past its date is taken to have had as much of it as it can, which is in the person's favour.
    statements: [
      `alter table credit_lots add column expired bigint not null default 0`,
      `update credit_lots l set expired = least(l.granted - l.clawed, (
          select coalesce(-sum(e.delta), 0) from ledger_entries e
          where e.user_id = l.user_id and e.livemode = l.livemode and e.contra = 'expiry' and e.at >= l.expires_at))
        where l.expires_at <= now()`,
      `alter table credit_lots add check (expired >= 0 and clawed + expired <= granted)`,
      ...accountFunctions,
    ],
  },
  {
    name: '0117-billing-free-dispatches',
    // a further dispatch of a call is a further abort
    statements: [
      `alter table credit_free_aborts add column ended_at timestamptz not null default now()`,
      `alter table credit_free_aborts alter column ended_at drop default`,
      `alter table credit_free_aborts drop constraint credit_free_aborts_pkey`,
      `alter table credit_free_aborts add primary key (call_id, ended_at)`,
      `drop function if exists note_free_aborts(boolean, uuid[], uuid[])`,
      ...accountFunctions,
      ...leaseFunctions,
    ],
  },
  {
    name: '0120-billing-aborts-of-leases',
    // All rounds of a call may have one time, that of its row: a dispatch is told apart by its lease. Those of earlier aborts
    // are not known: everybody has five free ones again.
    statements: [
      `delete from credit_free_aborts`,
      `alter table credit_free_aborts drop constraint credit_free_aborts_pkey`,
      `alter table credit_free_aborts drop column ended_at`,
      `alter table credit_free_aborts add column lease_id uuid not null`,
      `alter table credit_free_aborts add primary key (call_id, lease_id)`,
      `drop function if exists note_free_aborts(boolean, uuid[], uuid[], timestamptz[])`,
      ...accountFunctions,
      ...leaseFunctions,
    ],
  },
  ...accessMigrations,
  ...historyMigrations,
  ...checkoutMigrations,
  ...priceMigrations,
  ...priceRiseMigrations,
  ...subscriptionMigrations,
  ...offerMigrations,
  ...refundMigrations,
  ...figureMigrations,
  ...needMigrations,
  ...welcomeMigrations,
  ...changeMigrations,
  {
    name: '0146-billing-erased-reasons-in-ascii',
    statements: [
      `create or replace function erase_address_in_ledger(address text) returns void language plpgsql as $$
        begin
          if address = '' then return; end if;
          perform set_config('souk.erased_address', address, true);
          update ledger_entries set reason = without_address(reason, address)
            where reason is not null and mentions_address(reason, address);
          perform set_config('souk.erased_address', '', true);
        end
      $$`,
    ],
  },
  {
    name: '0176-billing-ledger-without-calls',
    // an administrator looks for the few entries that are no calls
    statements: [
      `create index ledger_entries_but_calls on ledger_entries (user_id, livemode, id desc) where contra <> 'usage'`,
    ],
  },
];
