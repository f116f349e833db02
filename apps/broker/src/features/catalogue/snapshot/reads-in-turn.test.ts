import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createReadsInTurn } from './reads-in-turn.ts';

const all = Array.from({ length: 120 }, (_, number) => `s${number}`);

/** Reads that end when the test says so. */
function heldReads(idsOfAll: () => Promise<Iterable<string>> = async () => all) {
  const begun: { ids: string[]; end(): void; fail(): void }[] = [];
  const failures: unknown[] = [];
  const reads = createReadsInTurn({
    idsOfAll,
    read: (ids) => {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      begun.push({ ids: [...ids], end: resolve, fail: () => reject(new Error('no database')) });
      return promise;
    },
    failed: (error) => failures.push(error),
  });
  /** Returns the read with this number, once it has begun. */
  const nth = (number: number) =>
    vi.waitFor(() => {
      const read = begun[number];
      if (!read) throw new Error(`read ${number} has not begun`);
      return read;
    });
  return { reads, begun, nth, failures };
}

/** Whether a promise has resolved, once all pending work is done. */
async function isKept(promise: Promise<unknown>): Promise<boolean> {
  const kept = promise.then(() => true);
  await new Promise(setImmediate);
  return Promise.race([kept, Promise.resolve(false)]);
}

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] }));
afterEach(() => void vi.useRealTimers());

test('all are read fifty at a time, and the few that change meanwhile come in between and wait for no other', async () => {
  const { reads, begun, nth } = heldReads();
  const whole = reads.read([]);
  expect((await nth(0)).ids).toEqual(all.slice(0, 50));
  const first = reads.read(['s3', 's110']);
  const second = reads.read(['new']);
  begun[0]?.end();
  expect((await nth(1)).ids).toEqual(['s3', 's110', 'new']);
  expect(await isKept(first)).toBe(false);
  begun[1]?.end();
  await Promise.all([first, second]);
  expect((await nth(2)).ids).toEqual(all.slice(50, 100));
  begun[2]?.end();
  (await nth(3)).end();
  await whole;
  expect(begun[3]?.ids).toEqual(all.slice(100));
});

test('a request made during a read is not answered by that read', async () => {
  const { reads, nth } = heldReads();
  const before = reads.read(['a']);
  await nth(0);
  const meanwhile = reads.read(['a']);
  (await nth(0)).end();
  await before;
  expect(await isKept(meanwhile)).toBe(false);
  (await nth(1)).end();
  await meanwhile;

  const whole = reads.read([]);
  await nth(2);
  const wholeAgain = reads.read([]);
  for (const number of [2, 3, 4]) (await nth(number)).end();
  await whole;
  expect(await isKept(wholeAgain)).toBe(false);
  for (const number of [5, 6, 7]) (await nth(number)).end();
  await wholeAgain;
});

test('a failed read is reported to its caller, and all are read again a moment later', async () => {
  const { reads, begun, nth, failures } = heldReads(async () => ['a', 'b']);
  const failing = reads.read(['a']);
  (await nth(0)).fail();
  await expect(failing).rejects.toThrow('no database');
  expect(begun).toHaveLength(1);
  await vi.advanceTimersByTimeAsync(1_000);
  (await nth(1)).fail();
  await vi.waitFor(() => expect(failures).toHaveLength(1));
  await vi.advanceTimersByTimeAsync(2_000);
  expect((await nth(2)).ids).toEqual(['a', 'b']);
  begun[2]?.end();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun).toHaveLength(3);
});

test('a stop waits for the running read, and starts no other', async () => {
  const { reads, begun, nth } = heldReads();
  const failing = reads.read(['a']);
  (await nth(0)).fail();
  await expect(failing).rejects.toThrow('no database');
  const last = reads.read(['b']);
  await nth(1);
  const stopped = reads.stop();
  expect(await isKept(stopped)).toBe(false);
  begun[1]?.end();
  await Promise.all([last, stopped]);
  await vi.advanceTimersByTimeAsync(60_000);
  expect(begun).toHaveLength(2);
});
