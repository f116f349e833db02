import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { drainDiagnostics } from './stderr-lines.ts';

// the test controls the time between two portions
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** Waits until everything written so far has been read. */
const read = () => new Promise((resolve) => setImmediate(resolve));

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

function drained() {
  const stderr = new PassThrough();
  const batches: (readonly string[])[] = [];
  drainDiagnostics(stderr, (lines) => void batches.push(lines));
  return { stderr, batches, lines: () => batches.flat() };
}

test('the newest 200 lines of a burst are forwarded, and later lines follow while the program runs', async () => {
  const { stderr, batches, lines } = drained();
  stderr.write(numbered(0, 500));
  await read();
  expect(batches).toHaveLength(1);
  expect(lines()).toEqual(numbered(300, 500).trimEnd().split('\n'));
  stderr.write(numbered(500, 900));
  stderr.write('the cause\n');
  await read();
  expect(batches).toHaveLength(1);
  vi.advanceTimersByTime(250);
  expect(lines().slice(200)).toEqual([...numbered(701, 900).trimEnd().split('\n'), 'the cause']);
});

test('a program that never stops writing is read 200 lines at a time, a few times per second', async () => {
  const { stderr, batches } = drained();
  let written = 0;
  // 600 ms
  for (let round = 0; round < 60; round++) {
    stderr.write(numbered(written, (written += 1000)));
    await read();
    vi.advanceTimersByTime(10);
  }
  stderr.end();
  await finished(stderr);
  // immediately, twice after 250 ms each, and at the end
  expect(batches.map(({ length }) => length)).toEqual([200, 200, 200, 200]);
  expect(batches.at(-1)?.at(-1)).toBe(`line ${written - 1}`);
});

test('the last lines are forwarded at the end, also without a line break', async () => {
  const { stderr, lines } = drained();
  stderr.write('one\n\ntwo\n');
  stderr.end('cannot go on');
  await finished(stderr);
  expect(lines()).toEqual(['one', 'two', 'cannot go on']);
});
