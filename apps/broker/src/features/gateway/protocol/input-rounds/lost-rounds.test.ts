import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { hasPostgres } from '#testing/databases.ts';
import { limitElapsed } from '#testing/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { useTwoBrokers, type TwoBrokers } from './testing/two-brokers.ts';

const over = {
  isError: true,
  content: [{ text: expect.stringMatching(/^This question is over: .* Make the call again/) }],
  _meta: { 'souk/code': 'question_over' },
};
/** How long a client may wait to hear that the broker of its call is gone, with the start of that broker. */
const mostSilenceMs = 20_000;
const isQuestion = { resultType: 'input_required' };
const isDone = { content: [{ text: expect.stringContaining('Zoe') }, {}] };

describe.skipIf(!hasPostgres())('the rounds of a call whose broker is slow, deaf or gone (PostgreSQL)', () => {
  let two: TwoBrokers;
  useTwoBrokers((started) => (two = started));
  afterEach(() => two.db.query('delete from mcp_round_messages'));

  test('a round may take longer than a broker may be silent', async () => {
    const given = { wait: true };
    const second = two.round(1, { given }, await two.round(0, { given }));
    await waitUntil('the call to go on', () => two.asking.waiting() === 1);
    let words = 0;
    const stop = await two.db.listen('mcp_rounds', (notice) => {
      if (notice.includes('"running"')) words += 1;
    });
    // the broker of the call says every 2 s that it runs; the other one would wait 6 s for it
    await waitUntil('8 s to pass', () => words === 4);
    await stop();
    two.asking.release();
    expect((await second).result).toMatchObject(isDone);
  });

  test('brokers that have missed notices read them again', async () => {
    const first = await two.round(0);
    const { rows } = await two.db.query<{ ended: boolean }>(
      `select pg_terminate_backend(pid) as ended from pg_stat_activity
       where datname = current_database() and application_name = 'souk notices'`,
    );
    expect(rows.length).toBeGreaterThanOrEqual(2);
    expect((await two.round(1, {}, first)).result).toMatchObject(isDone);
  });

  /** Leaves as many messages as may wait for a user. */
  const fill = (createdAt: Date) =>
    two.db.query(
      `insert into mcp_round_messages (id, broker_id, user_id, kind, target, message, created_at)
       select gen_random_uuid(), 'stopped', id, 'round', 'call', '{}', $1
       from users, generate_series(1, 64) where email = 'ann@souk.test'`,
      [createdAt],
    );

  test('messages that no broker takes are bounded, and removed after a minute', async () => {
    const first = await two.round(0);
    await fill(new Date());
    expect((await two.round(1, {}, first)).error?.message).toContain('Try again in a moment');
    await two.db.query(`update mcp_round_messages set created_at = created_at - interval '61 seconds'`);
    // the answer was not passed on, so it can be sent again
    expect((await two.round(1, {}, first)).result).toMatchObject(isDone);
    expect(await two.messages()).toEqual([]);

    await fill(new Date(Date.now() - 61_000));
    await two.replicas.apps[0].gateway.removeExpiredSessions();
    expect(await two.messages()).toEqual([]);
  });

  test('a result that cannot be passed on is said to be lost', async () => {
    const given = { wait: true };
    const second = two.round(1, { given }, await two.round(0, { given }));
    await waitUntil('the call to go on', () => two.asking.waiting() === 1);
    await fill(new Date());
    two.asking.release();
    const text = expect.stringMatching(/its result was dropped. Check whether it took effect/);
    expect((await second).result).toMatchObject({ isError: true, content: [{ text }] });
  });

  const lost = {
    isError: true,
    content: [{ text: expect.stringContaining('Check whether it took effect') }],
    _meta: { 'souk/code': 'upstream_unavailable' },
  };
  test.each([
    ['while it waits', false, over],
    ['while it runs the round', true, lost],
  ])('a broker that is killed %s is missed within a bounded time', async (_when, isRunning, expected) => {
    const miss = async () => {
      const broker = await two.fork();
      onTestFinished(() => broker.kill());
      const given = { wait: isRunning };
      const first = await two.round(broker.port, { given });
      expect(first.result).toMatchObject(isQuestion);
      if (!isRunning) await broker.kill();
      const second = two.round(1, { given }, first);
      if (isRunning) {
        await waitUntil('the call to go on', () => two.asking.waiting() === 1);
        await broker.kill();
      }
      const { result } = await second;
      expect(result).toMatchObject(expected);
      expect(await two.messages()).toEqual([]);
    };
    await limitElapsed(mostSilenceMs, miss, { scales: 'start' });
  });

  test('a broker that stops finishes the round of a client of the other one first', async () => {
    const given = { wait: true };
    const first = await two.round(0, { given });
    const second = two.round(1, { given }, first);
    await waitUntil('the call to go on', () => two.asking.waiting() === 1);
    const restarted = two.replicas.restart(0);
    const ready = () => fetch(`${two.replicas.publicUrl}/readyz`, { headers: two.replicas.at(0) });
    await waitUntil('the stop to have begun', async () => !(await ready()).ok);
    two.asking.release();
    expect((await second).result).toMatchObject(isDone);
    await restarted;
  });

  test('a broker that stops ends the calls that wait there, and the other one says so to who answers', async () => {
    const first = await two.round(0);
    const stops = two.round(
      0,
      { given: { times: 2, wait: true } },
      await two.round(0, { given: { times: 2, wait: true } }),
    );
    expect((await stops).result).toMatchObject(isQuestion);
    two.replicas.apps[0].gateway.letGo();
    const draining = two.replicas.apps[0].gateway.drain(600_000);
    await draining;
    // while it stops, and when it has gone
    expect((await two.round(1, {}, first)).result).toMatchObject(over);
    expect((await two.round(0, {}, first)).result).toMatchObject(over);
    await two.replicas.restart(0);
    for (const broker of [0, 1]) expect((await two.round(broker, {}, first)).result).toMatchObject(over);
    const prompt = { method: 'prompts/get', name: 'asking__asking' };
    const waiting = await two.round(0, prompt);
    await two.replicas.restart(0);
    expect((await two.round(1, prompt, waiting)).error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^This question is over: /),
    });
    expect((await two.calls()).map(({ outcome, reason }) => `${outcome} ${reason}`)).toEqual(
      Array.from({ length: 3 }, () => 'cancelled stopped'),
    );
    expect(await two.messages()).toEqual([]);
  });

  test('a question of a round that comes while its broker stops is over at once', async () => {
    const given = { wait: true, after: 1 };
    const first = await two.round(0, { given });
    const second = two.round(1, { given }, first);
    await waitUntil('the call to go on', () => two.asking.waiting() === 1);
    two.replicas.apps[0].gateway.letGo();
    const drained = two.replicas.apps[0].gateway.drain(600_000);
    two.asking.release();
    expect((await second).result).toMatchObject({ isError: true, _meta: { 'souk/code': 'stopped' } });
    await drained;
    await two.replicas.restart(0);
  });
});
