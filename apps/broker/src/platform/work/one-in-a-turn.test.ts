import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { oneInATurn } from './one-in-a-turn.ts';

test('concurrent work is done one item per turn of the event loop, in order, and none before the next turn', async () => {
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
