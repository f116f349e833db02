import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { oneInATurn } from './one-in-a-turn.ts';

test('work that comes at once is done one in a turn of the event loop, in its order, and none before the next', async () => {
  const done: number[] = [];
  for (const number of [1, 2, 3]) oneInATurn(() => done.push(number));
  expect(done).toEqual([]);
  for (const expected of [[1], [1, 2], [1, 2, 3], [1, 2, 3]]) {
    await nextTurn();
    expect(done).toEqual(expected);
  }
  oneInATurn(() => done.push(4));
  await nextTurn();
  expect(done).toEqual([1, 2, 3, 4]);
});
