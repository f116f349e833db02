import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { drainDiagnostics } from './stderr-lines.ts';

// the time between two portions is the test's
beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] }));
afterEach(() => void vi.useRealTimers());

/** What was written has been read by then. */
const read = () => new Promise((resolve) => setImmediate(resolve));

const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, index) => `line ${from + index}\n`).join('');

function drained() {
  const stderr = new PassThrough();
  const batches: (readonly string[])[] = [];
  drainDiagnostics(stderr, (lines) => void batches.push(lines));
  return { stderr, batches, lines: () => batches.flat() };
}

test('of a burst the newest 200 lines are passed on, and what comes next follows while the program runs', async () => {
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

test('a program that never stops writing is heard 200 lines at a time, a few times a second', async () => {
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
  // at once, two after 250 ms each, the end
  expect(batches.map(({ length }) => length)).toEqual([200, 200, 200, 200]);
  expect(batches.at(-1)?.at(-1)).toBe(`line ${written - 1}`);
});

test('the last words come at the end, also without a line break', async () => {
  const { stderr, lines } = drained();
  stderr.write('one\n\ntwo\n');
  stderr.end('cannot go on');
  await finished(stderr);
  expect(lines()).toEqual(['one', 'two', 'cannot go on']);
});
