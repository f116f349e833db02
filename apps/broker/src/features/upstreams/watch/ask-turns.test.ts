import { expect, test } from 'vitest';
import { createManualTime } from '../testing/manual-time.ts';
import { createAskTurns } from './ask-turns.ts';

const limits = { atOnce: 40, burst: 10, perSecond: 50 };

function start() {
  const time = createManualTime();
  const turns = createAskTurns({ ...time, limits });
  const begun: { done(): void }[] = [];
  const want = (count: number) => {
    for (let index = 0; index < count; index++) void turns.take().then((turn) => begun.push(turn));
  };
  /** Lets time pass, and lets servers that have a turn begin. */
  const pass = async (ms: number) => {
    time.pass(ms);
    await new Promise(setImmediate);
  };
  return { time, turns, begun, want, pass };
}

test('a few begin immediately, and the others sequentially', async () => {
  const { turns, begun, want, pass } = start();
  want(1_000);
  await pass(0);
  expect(begun).toHaveLength(10);
  for (let index = 0; index < 25; index++) {
    await pass(20);
    begun.forEach((turn) => turn.done());
  }
  expect(begun).toHaveLength(10 + 25);
  expect(turns.waiting()).toBe(1_000 - 35);
});

test('servers that hang keep their slots, and one that ends gives its slot to the next', async () => {
  const { begun, want, pass } = start();
  want(1_000);
  await pass(60_000);
  expect(begun).toHaveLength(40);
  begun[0]?.done();
  begun[0]?.done();
  await pass(60_000);
  expect(begun).toHaveLength(41);
});

test('after a rest a few may begin immediately again', async () => {
  const { begun, want, pass } = start();
  want(10);
  await pass(0);
  begun.forEach((turn) => turn.done());
  await pass(100);
  want(20);
  await pass(0);
  expect(begun).toHaveLength(15);
});

test('a stop releases all, keeps no timer, and none waits afterwards', async () => {
  const { time, turns, begun, want, pass } = start();
  want(100);
  turns.stop();
  want(1);
  await pass(0);
  expect(begun).toHaveLength(101);
  expect(time.pending()).toBe(0);
});
