import type { NoticeKind } from '@souk/contract/notices.ts';
import type { Migration, Query } from '../db/database.ts';
import type { FactsOf } from './notice-facts.ts';

export const noticeMigrations: readonly Migration[] = [
  {
    name: '0270-platform-notices',
    statements: [
      // The outbox: written in the transaction of what a person is told about. It has no address and no text.
      `create table notices (
        key text primary key,
        user_id uuid,
        kind text not null,
        facts jsonb not null,
        created_at timestamptz not null,
        next_at timestamptz,
        attempts integer not null default 0,
        error text,
        done_at timestamptz,
        outcome text check (outcome in ('sent', 'shown', 'unwanted', 'no_recipient', 'no_channel', 'given_up')),
        check ((next_at is null) = (done_at is not null)),
        check ((done_at is null) = (outcome is null))
      )`,
      'create index notices_due on notices (next_at) where next_at is not null',
      'create index notices_of_user on notices (user_id, done_at)',
      'create index notices_done on notices (done_at) where done_at is not null',
      `create table notice_switches (
        user_id uuid not null,
        kind text not null,
        off_since timestamptz not null,
        primary key (user_id, kind)
      )`,
    ],
  },
  {
    name: '0271-platform-alerts',
    statements: [
      // What is wrong, and when the operator was told of it last. One that went away stays for the hour in which it is not told again.
      `create table alerts (
        cause text primary key,
        since timestamptz not null,
        told_at timestamptz not null,
        gone_at timestamptz
      )`,
    ],
  },
  {
    name: '0290-platform-farewells',
    statements: [
      // Only a deleted account, whose address stands nowhere else any more, has it here: until its one mail is sent or given up.
      'alter table notices add column address text',
      // The database itself forgets it, so a broker of the version before does not keep it either.
      `create function forget_notice_address() returns trigger language plpgsql as
        $$ begin new.address := null; return new; end $$`,
      `create trigger notices_forget_address before insert or update on notices for each row
        when (new.done_at is not null and new.address is not null) execute function forget_notice_address()`,
    ],
  },
];

/** The moment that a notice tells of is in its key, so that the same event, read twice, tells once. */
export type NewNotice<Kind extends NoticeKind = NoticeKind> = {
  kind: Kind;
  userId: string;
  /** What happened, by the ids of its own objects; it becomes unique with the kind. */
  event: string;
  facts: FactsOf<Kind>;
};

/**
 * Tells a person of something, in the transaction in which it happens: the mail is sent later, once, and not if the transaction
 * is rolled back.
 */
export async function noteNotice<Kind extends NoticeKind>(
  query: Query,
  { kind, userId, event, facts }: NewNotice<Kind>,
  at: Date,
): Promise<void> {
  await query(
    `insert into notices (key, user_id, kind, facts, created_at, next_at) values ($1, $2, $3, $4::jsonb, $5, $5)
     on conflict (key) do nothing`,
    [`${kind}:${event}`, userId, kind, JSON.stringify(facts), at],
  );
}

/** An account that is deleted, for its last mail. */
export type Farewell = { userId: string; email: string; by: FactsOf<'account_deleted'>['by'] };

/**
 * Tells a person that their account is deleted, in the transaction of the deletion. The row belongs to no account, so the deletion
 * does not take it along; it has the address until it has ended, and only where a mail server is there to send to it.
 */
export async function noteFarewell(
  query: Query,
  { userId, email, by }: Farewell,
  { at, isSent }: { at: Date; isSent: boolean },
): Promise<void> {
  const facts: FactsOf<'account_deleted'> = { at: at.toISOString(), by };
  await query(
    `insert into notices (key, kind, facts, created_at, next_at, address) values ($1, 'account_deleted', $2::jsonb, $3, $3, $4)
     on conflict (key) do nothing`,
    [`account_deleted:${userId}`, JSON.stringify(facts), at, isSent ? email : null],
  );
}
