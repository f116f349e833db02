import { expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { createWorkLoop } from './work-loop.ts';

const ignore = () => {};

/** Work that a test ends by hand, run by run. */
function heldWork() {
  const held: PromiseWithResolvers<number | void>[] = [];
  const work = () => {
    const one = Promise.withResolvers<number | void>();
    held.push(one);
    return one.promise;
  };
  return { held, work };
}

test('requests during a run lead to one more run, however many', async () => {
  const { held, work } = heldWork();
  const loop = createWorkLoop({ work, failed: ignore });
  const all = Promise.all([loop.run(), loop.run()]);
  await waitUntil('a run', () => held.length === 1);
  void loop.run();
  void loop.run();
  held[0]?.resolve();
  await waitUntil('the run after it', () => held.length === 2);
  held[1]?.resolve();
  await all;
  expect([held.length, loop.isRunning()]).toEqual([2, false]);
});

test('a request as soon as a run has ended gets its own run', async () => {
  let runs = 0;
  const loop = createWorkLoop({ work: async () => void (runs += 1), failed: ignore });
  for (let count = 1; count <= 100; count++) {
    await loop.run();
    expect(runs).toBe(count);
  }
});

test('a run says when the next one is due, and a failure when it is retried', async () => {
  const answers = [0, 'broken', 0, undefined];
  const failures: unknown[] = [];
  const loop = createWorkLoop({
    async work() {
      const answer = answers.shift();
      if (typeof answer === 'string') throw new Error(answer);
      return answer;
    },
    failed(error) {
      failures.push(error);
      return 0;
    },
  });
  await loop.run();
  await waitUntil('all runs', () => answers.length === 0);
  expect(failures).toEqual([new Error('broken')]);
});

test('an earlier request does not shorten the wait after a failure, and a new request does', async () => {
  let runs = 0;
  const loop = createWorkLoop({
    async work() {
      runs += 1;
      if (runs === 1) {
        void loop.run();
        throw new Error('broken');
      }
    },
    failed: () => 60_000,
  });
  await loop.run();
  expect(runs).toBe(1);
  await loop.run();
  expect(runs).toBe(2);
});

test('the earlier of two times counts', async () => {
  let runs = 0;
  const loop = createWorkLoop({ work: async () => void (runs += 1), failed: ignore });
  loop.within(60_000);
  loop.within(Infinity);
  loop.within(0);
  loop.within(60_000);
  await waitUntil('a run', () => runs > 0);
  await loop.stop();
  expect(runs).toBe(1);
});

test('a stop waits for the current run, and no other begins', async () => {
  const { held, work } = heldWork();
  const loop = createWorkLoop({ work, failed: ignore });
  void loop.run();
  await waitUntil('a run', () => held.length === 1);
  void loop.run();
  const stopped = loop.stop();
  held[0]?.resolve(0);
  await stopped;
  await loop.run();
  loop.within(0);
  expect([held.length, loop.isRunning()]).toEqual([1, false]);
});
