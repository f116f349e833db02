import { afterAll, beforeAll, expect, test } from 'vitest';
import { systemClock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { createIds } from '#platform/ids.ts';
import { createLog } from '#platform/log.ts';
import { describeOnDatabases } from '#testing/databases/databases.ts';
import { migrations } from '../../../migrations.ts';
import { createAttemptStore } from './attempt-store.ts';
import { attemptKey, type AttemptEvent } from './attempt-event.ts';
import { createEventWriter } from './event-writer.ts';

describeOnDatabases('connection attempts', migrations, (open) => {
  const ids = createIds(systemClock);
  const log = createLog('silent');
  let db: Database;
  beforeAll(async () => {
    db = await open();
  });
  afterAll(() => db.close());

  /** Creates what one of several brokers has. */
  function newReplica() {
    const store = createAttemptStore(db, ids);
    return { store, writer: createEventWriter(store.write, log) };
  }
  async function newUser(): Promise<string> {
    const id = ids.uuid();
    await db.query(`insert into users (id, email, display_name, created_at) values ($1, 'a@b.test', 'A', now())`, [id]);
    return id;
  }
  const now = () => new Date(systemClock.now());

  test('two brokers that see steps of one attempt concurrently write one attempt with all of them', async () => {
    const userId = await newUser();
    const key = attemptKey.grant(ids.uuid());
    const replicas = [newReplica(), newReplica()];
    const steps = ['token', 'first-request', 'era', 'tools-listed', 'first-call'] as const;
    for (const [position, step] of steps.entries()) {
      const event: AttemptEvent = { key, userId, atMs: 1_000 + position, passed: [step] };
      replicas[position % 2]?.writer.record(event);
      await Promise.all(replicas.map(({ writer }) => Promise.all([writer.flush(), writer.flush()])));
    }
    await Promise.all(
      replicas.map(async ({ writer }) => {
        writer.record({ key, userId, atMs: systemClock.now(), passed: ['first-call'] });
        await writer.flush();
      }),
    );
    const [row, ...more] = await newReplica().store.list(userId, now());
    expect(more).toEqual([]);
    expect(Object.keys(row?.first_passed ?? {}).sort()).toEqual([...steps].sort());
    expect(row?.first_passed['first-call']).toBe(1_004);
    expect(row?.last_passed['first-call']).toBeGreaterThan(1_004);
  });

  test('a sign-in becomes the attempt of its token, also if another broker saw its beginning', async () => {
    const userId = await newUser();
    const [first, second] = [newReplica(), newReplica()];
    const [before, after] = [attemptKey.signIn(ids.uuid()), attemptKey.grant(ids.uuid())];
    first.writer.record({ key: before, atMs: systemClock.now(), clientName: 'Client', passed: ['authorize'] });
    await first.writer.flush();
    expect(await first.store.list(userId, now())).toEqual([]);
    second.writer.record({ key: after, formerKey: before, atMs: systemClock.now(), userId, passed: ['consent'] });
    second.writer.record({ key: after, atMs: systemClock.now(), userId, passed: ['token'] });
    await second.writer.flush();
    const rows = await second.store.list(userId, now());
    expect(rows).toHaveLength(1);
    expect(rows[0]?.client_name).toBe('Client');
    expect(Object.keys(rows[0]?.first_passed ?? {}).sort()).toEqual(['authorize', 'consent', 'token']);
  });

  test('a later caller with the key of an attempt cannot change its owner', async () => {
    const [owner, other] = [await newUser(), await newUser()];
    const { store, writer } = newReplica();
    const key = attemptKey.grant(ids.uuid());
    for (const userId of [owner, other]) {
      writer.record({ key, userId, atMs: systemClock.now(), passed: ['token'] });
      await writer.flush();
    }
    expect(await store.list(owner, now())).toHaveLength(1);
    expect(await store.list(other, now())).toEqual([]);
  });

  test('a user has at most a hundred attempts, the newest, and is shown fifty', async () => {
    const userId = await newUser();
    const { store, writer } = newReplica();
    const startMs = systemClock.now() - 1_000;
    for (let i = 0; i < 110; i++) {
      writer.record({ key: attemptKey.personalToken(ids.uuid(), ''), userId, atMs: startMs + i, passed: ['era'] });
    }
    await writer.flush();
    const { rows } = await db.query<{ at: Date }>(
      `select started_at as at from connection_attempts where user_id = $1 order by started_at`,
      [userId],
    );
    expect(rows).toHaveLength(100);
    expect(rows[0]?.at.getTime()).toBe(startMs + 10);
    expect(await store.list(userId, now())).toHaveLength(50);
  });

  test('no attempts are kept of a deactivated user or a deleted account', async () => {
    const { store, writer } = newReplica();
    const [closed, deleted] = [await newUser(), await newUser()];
    await db.query(`update users set is_active = false where id = $1`, [closed]);
    await db.query(`update users set deleted_at = now() where id = $1`, [deleted]);
    for (const userId of [closed, deleted, ids.uuid()]) {
      writer.record({ key: attemptKey.grant(ids.uuid()), userId, atMs: systemClock.now(), passed: ['token'] });
      await writer.flush();
      expect(await store.list(userId, now())).toEqual([]);
    }
    const { rows } = await db.query(`select 1 from connection_attempts where user_id = any($1::uuid[])`, [
      [closed, deleted],
    ]);
    expect(rows).toEqual([]);
  });

  test('a failed write loses only its own attempt', async () => {
    const { store, writer } = newReplica();
    const userId = await newUser();
    writer.record({ key: attemptKey.grant(ids.uuid()), userId: 'no id', atMs: systemClock.now(), passed: ['era'] });
    writer.record({ key: attemptKey.grant(ids.uuid()), userId, atMs: systemClock.now(), passed: ['era'] });
    await writer.flush();
    expect(await store.list(userId, now())).toHaveLength(1);
  });
});
