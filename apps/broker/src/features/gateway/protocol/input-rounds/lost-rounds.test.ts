import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { hasPostgres } from '#testing/databases/databases.ts';
import { limitElapsed } from '#testing/figures/limits.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { useTwoBrokers, type TwoBrokers } from './testing/two-brokers.ts';

const over = {
  isError: true,
  content: [{ text: expect.stringMatching(/^This question is over: .* Make the call again/) }],
  _meta: { 'souk/code': 'question_over' },
};
/** Time until a client is told that the broker of its call is unreachable, including the start of that broker. */
const mostSilenceMs = 20_000;
const isQuestion = { resultType: 'input_required' };
const isDone = { content: [{ text: expect.stringContaining('Zoe') }, {}] };

describe.skipIf(!hasPostgres())('the rounds of a call whose broker is slow, deaf or unreachable (PostgreSQL)', () => {
  let two: TwoBrokers;
  useTwoBrokers((started) => (two = started));
  afterEach(() => two.db.query('delete from mcp_round_messages'));

  test('a round may take longer than the silence after which a broker is considered dead', async () => {
    const given = { wait: true };
    const second = two.round(1, { given }, await two.round(0, { given }));
    await waitUntil('the call to continue', () => two.asking.waiting() === 1);
    let words = 0;
    const stop = await two.db.listen('mcp_rounds', (notice) => {
      if (notice.includes('"running"')) words += 1;
    });
    // the broker of the call says every 2 s that it runs; the other one would wait 6 s for that
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

  /** Inserts as many messages as may wait for a user. */
  const fill = (createdAt: Date) =>
    two.db.query(
      `insert into mcp_round_messages (id, broker_id, user_id, kind, target, message, created_at)
       select gen_random_uuid(), 'stopped', id, 'round', 'call', '{}', $1
       from users, generate_series(1, 64) where email = 'ann@souk.test'`,
      [createdAt],
    );

  test('messages that no broker takes are limited in number, and removed after a minute', async () => {
    const first = await two.round(0);
    await fill(new Date());
    expect((await two.round(1, {}, first)).error?.message).toContain('Try again in a moment');
    await two.db.query(`update mcp_round_messages set created_at = created_at - interval '61 seconds'`);
    // the answer was not forwarded, so it can be sent again
    expect((await two.round(1, {}, first)).result).toMatchObject(isDone);
    expect(await two.messages()).toEqual([]);

    await fill(new Date(Date.now() - 61_000));
    await two.replicas.apps[0].gateway.removeExpiredSessions();
    expect(await two.messages()).toEqual([]);
  });

  test('a result that cannot be forwarded is reported as lost', async () => {
    const given = { wait: true };
    const second = two.round(1, { given }, await two.round(0, { given }));
    await waitUntil('the call to continue', () => two.asking.waiting() === 1);
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
  test('a killed broker is noticed within a limit: one of its calls waits for an answer, and one runs its round', async () => {
    const given = { wait: true };
    const miss = async () => {
      const broker = await two.fork();
      onTestFinished(() => broker.kill());
      const waits = await two.round(broker.port);
      const runs = await two.round(broker.port, { given });
      for (const { result } of [waits, runs]) expect(result).toMatchObject(isQuestion);
      const running = two.round(1, { given }, runs);
      await waitUntil('the call to continue', () => two.asking.waiting() === 1);
      await broker.kill();
      expect((await two.round(1, {}, waits)).result).toMatchObject(over);
      expect((await running).result).toMatchObject(lost);
      expect(await two.messages()).toEqual([]);
    };
    await limitElapsed(mostSilenceMs, miss, { scales: 'start' });
  });

  test('a broker that stops ends the calls that wait there, and the other one says so to clients that answer', async () => {
    const twice = { given: { times: 2, wait: true } };
    const prompt = { method: 'prompts/get', name: 'asking__asking' };
    const first = await two.round(0);
    const stops = two.round(0, twice, await two.round(0, twice));
    expect((await stops).result).toMatchObject(isQuestion);
    const waiting = await two.round(0, prompt);
    two.replicas.apps[0].gateway.endLongRequests();
    await two.replicas.apps[0].gateway.drain(600_000);
    // while it stops, and after it has stopped
    for (const broker of [1, 0]) expect((await two.round(broker, {}, first)).result).toMatchObject(over);
    await two.replicas.restart(0);
    for (const broker of [0, 1]) expect((await two.round(broker, {}, first)).result).toMatchObject(over);
    expect((await two.round(1, prompt, waiting)).error).toMatchObject({
      code: -32602,
      message: expect.stringMatching(/^This question is over: /),
    });
    expect((await two.calls()).map(({ outcome, reason }) => `${outcome} ${reason}`)).toEqual(
      Array.from({ length: 3 }, () => 'cancelled stopped'),
    );
    expect(await two.messages()).toEqual([]);
  });

  test('a broker that stops first finishes a round for a client of the other broker; a question asked after that ends immediately', async () => {
    const [given, asks] = [{ wait: true }, { wait: true, after: 1 }];
    const done = two.round(1, { given }, await two.round(0, { given }));
    const asked = two.round(1, { given: asks }, await two.round(0, { given: asks }));
    await waitUntil('both calls to continue', () => two.asking.waiting() === 2);
    const restarted = two.replicas.restart(0);
    const ready = () => fetch(`${two.replicas.publicUrl}/readyz`, { headers: two.replicas.at(0) });
    await waitUntil('the stop to have begun', async () => !(await ready()).ok);
    two.replicas.apps[0].gateway.endLongRequests();
    two.asking.release();
    expect((await done).result).toMatchObject(isDone);
    expect((await asked).result).toMatchObject({ isError: true, _meta: { 'souk/code': 'stopped' } });
    await restarted;
  });
});
