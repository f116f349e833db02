import { expect, test } from 'vitest';
import { createAskQueue } from './ask-queue.ts';
import { ToolsOfUser } from './tools-of-user.ts';
import { createRememberedTools } from './remembered-tools.ts';

test('cached offerings stay within their bytes: the least recently read user is read again', async () => {
  const read: string[] = [];
  const unread = () => {
    throw new Error('no entry is needed');
  };
  const nobody = () => new ToolsOfUser([], unread, () => true);
  const remembered = createRememberedTools(
    async (userId) => {
      read.push(userId);
      return nobody();
    },
    { clock: { now: () => 0 }, maxBytes: nobody().bytes * 2 },
  );
  for (const userId of ['ann', 'bob', 'ann', 'cid', 'bob', 'cid', 'ann']) await remembered.get(userId);
  expect(read).toEqual(['ann', 'bob', 'cid', 'ann']);
});

test('a few servers are queried concurrently, and the others wait, each once and up to a limit', async () => {
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const queue = createAskQueue({ atOnce: 2, maxWaiting: 2 });
  const ask = (key: string) =>
    queue.add(key, () => {
      begun.push(key);
      return new Promise<void>((resolve) => ends.push(resolve));
    });
  expect(['a', 'b', 'c', 'c', 'd', 'e'].map(ask)).toEqual([true, true, true, false, true, false]);
  expect(begun).toEqual(['a', 'b']);
  ends.shift()?.();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['a', 'b', 'c']);
  queue.stop();
  for (const end of ends.splice(0)) end();
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['a', 'b', 'c']);
});
