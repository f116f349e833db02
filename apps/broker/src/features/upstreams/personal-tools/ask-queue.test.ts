import { expect, test } from 'vitest';
import { createAskQueue } from './ask-queue.ts';

test('tasks of one key run sequentially, and the one that waits runs after the current one', async () => {
  const queue = createAskQueue({ atOnce: 8, maxWaiting: 10 });
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const work = (name: string) => () => {
    begun.push(name);
    return new Promise<void>((resolve) => void ends.push(resolve));
  };
  queue.add('ann', work('first'));
  expect(queue.add('ann', work('second'))).toBe(true);
  queue.add('bob', work('of another key'));
  expect(queue.add('ann', work('third')), 'the second waits already').toBe(false);
  expect(begun).toEqual(['first', 'of another key']);
  ends[0]?.();
  await expect.poll(() => begun).toEqual(['first', 'of another key', 'second']);
});
