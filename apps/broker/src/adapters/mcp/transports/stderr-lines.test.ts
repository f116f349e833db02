import { PassThrough } from 'node:stream';
import { finished } from 'node:stream/promises';
import { expect, test } from 'vitest';
import { waitUntil } from '#testing/wait-until.ts';
import { drainDiagnostics } from './stderr-lines.ts';

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
  await waitUntil('the burst', () => batches.length > 0);
  expect(lines()).toEqual(numbered(300, 500).trimEnd().split('\n'));
  stderr.write(numbered(500, 900));
  stderr.write('the cause\n');
  await waitUntil('the rest', () => lines().at(-1) === 'the cause');
  expect(lines().slice(200)).toEqual([...numbered(701, 900).trimEnd().split('\n'), 'the cause']);
});

test('a program that never stops writing is heard 200 lines at a time, a few times a second', async () => {
  const { stderr, batches } = drained();
  const begunMs = performance.now();
  let written = 0;
  while (performance.now() - begunMs < 600) {
    if (!stderr.write(numbered(written, (written += 1000)))) await new Promise(setImmediate);
  }
  stderr.end();
  await finished(stderr);
  expect(Math.max(...batches.map(({ length }) => length))).toBe(200);
  // at once, two after 250 ms each, the end
  expect(batches.length).toBeLessThanOrEqual(2 + Math.ceil((performance.now() - begunMs) / 250));
  expect(batches.at(-1)?.at(-1)).toBe(`line ${written - 1}`);
});

test('the last words come at the end, also without a line break', async () => {
  const { stderr, lines } = drained();
  stderr.write('one\n\ntwo\n');
  stderr.end('cannot go on');
  await finished(stderr);
  expect(lines()).toEqual(['one', 'two', 'cannot go on']);
});
