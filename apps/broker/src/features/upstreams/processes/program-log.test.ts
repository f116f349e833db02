import { Writable } from 'node:stream';
import { expect, test } from 'vitest';
import { createLog } from '#platform/log.ts';
import { createProgramLog } from './program-log.ts';

test('keeps the last 200 lines of each server, each truncated', () => {
  const log = createProgramLog(createLog('silent'));
  const numbered = Array.from({ length: 300 }, (_, index) => `line ${index} ${'x'.repeat(3000)}`);
  log.add('a', 'shared', numbered.slice(0, 150), []);
  log.add('a', 'shared', numbered.slice(150), []);
  log.add('b', 'shared', ['of b'], []);
  const lines = log.read('a');
  expect(lines).toHaveLength(200);
  expect(lines[0]).toMatch(/^line 100 /);
  expect(lines.at(-1)).toMatch(/^line 299 /);
  expect(Math.max(...lines.map(({ length }) => length))).toBe(1000);
  expect(log.read('b')).toEqual(['of b']);
  expect(log.read('none')).toEqual([]);
});

test('of at most 512 servers: the one that was silent longest is dropped', () => {
  const log = createProgramLog(createLog('silent'));
  for (let server = 0; server < 513; server++) log.add(`s${server}`, 'shared', ['x'], []);
  expect([log.read('s0'), log.read('s1'), log.read('s512')]).toEqual([[], ['x'], ['x']]);
});

test('a secret that begins with another one is removed completely', () => {
  const log = createProgramLog(createLog('silent'));
  log.add('a', 'shared', ['use canary-1-of-two'], ['canary-1', 'canary-1-of-two']);
  expect(log.read('a')).toEqual(['use [redacted]']);
});

test('without secrets, including those of several lines, and without terminal control characters', () => {
  let logged = '';
  const destination = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  const log = createProgramLog(createLog('debug', destination));
  const secrets = ['canary-1', '-----BEGIN-----\ncanary-2\n{'];
  const coloured = '\u001B[31mred\u001B[0m \u202Ereversed\u0007';
  log.add(
    'a',
    'shared',
    ['key=canary-1; again canary-1', 'canary-2', `${'x'.repeat(995)}canary-1`, coloured, ' '],
    secrets,
  );
  expect(log.read('a')).toEqual([
    'key=[redacted]; again [redacted]',
    '[redacted]',
    `${'x'.repeat(995)}[reda`,
    'red  reversed ',
  ]);
  expect(logged).toContain('key=[redacted]');
  expect(logged).not.toContain('canary');
});
