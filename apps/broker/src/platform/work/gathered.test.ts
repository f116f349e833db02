import { expect, test } from 'vitest';
import { createGathered } from './gathered.ts';

test('a single item does not wait, and items that come meanwhile form one batch', async () => {
  const batches: number[][] = [];
  let go: (() => void) | undefined;
  const gathered = createGathered<number>(
    async (items) => {
      batches.push([...items]);
      await new Promise<void>((resolve) => (go = resolve));
    },
    { maxBatch: 3 },
  );
  const first = gathered.add(1);
  const others = Promise.all([2, 3, 4, 5].map(gathered.add));
  expect(batches).toEqual([[1]]);
  for (const expected of [[1], [1, 2, 3, 4], [1, 2, 3, 4, 5]]) {
    expect(batches.flat()).toEqual(expected);
    go?.();
    await new Promise(setImmediate);
  }
  await Promise.all([first, others, gathered.flush()]);
  expect(batches).toEqual([[1], [2, 3, 4], [5]]);
});

test('a failed batch is reported only to its own items', async () => {
  const gathered = createGathered<string>(async (items) => {
    if (items.includes('bad')) throw new Error('no');
  });
  const first = gathered.add('good');
  const second = Promise.allSettled([gathered.add('bad'), gathered.add('beside it')]);
  await first;
  expect((await second).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await gathered.add('after it');
  await gathered.flush();
});

test('between two batches there may be a pause, in which more items are gathered', async () => {
  const batches: number[][] = [];
  const gathered = createGathered<number>(async (items) => void batches.push([...items]), { restMs: 20 });
  await gathered.add(1);
  const second = gathered.add(2);
  await new Promise(setImmediate);
  await Promise.all([second, gathered.add(3)]);
  expect(batches).toEqual([[1], [2, 3]]);
});
