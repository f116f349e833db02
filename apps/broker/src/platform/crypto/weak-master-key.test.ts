import { randomBytes } from 'node:crypto';
import { expect, test } from 'vitest';
import { weaknessOf } from './weak-master-key.ts';

const encoded = (bytes: string | readonly number[]) =>
  (typeof bytes === 'string' ? Buffer.from(bytes) : Buffer.from(bytes)).toString('base64url');
const numbered = (of: (index: number) => number) => encoded(Array.from({ length: 32 }, (_, index) => of(index)));

test.each([
  ['one character', 'A'.repeat(43), 'repeats'],
  ['padded', `${'k'.repeat(43)}=`, 'repeats'],
  ['zeros', numbered(() => 0), 'repeats'],
  ['a pattern of sixteen bytes', encoded([...randomBytes(16)].flatMap((byte) => [byte, byte])), 'repeats'],
  ['a repeated half', encoded('0123456789abcdef0123456789abcdef'), 'encoding of a text'],
  ['a sentence', encoded('correct horse battery staple, ok'), 'encoding of a text'],
  ['a password', encoded('Tr0ub4dor&3-and-some-more-of-it!'), 'encoding of a text'],
  ['counted up', numbered((index) => 200 + index), 'counts'],
  ['counted down by three', numbered((index) => 250 - 3 * index), 'counts'],
  ['the alphabet', 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopq', 'counts'],
  ['words', 'this-is-the-master-key-of-our-shop-change-it', 'text or a number'],
  ['a long number in hex', '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0', 'text or a number'],
])('%s is distinguished from a random key', (_what, key, sign) => {
  const text = weaknessOf(key.slice(0, 44));
  expect(text).toMatch(new RegExp(`^MASTER_KEY can be guessed: it .*${sign}.*\\. Make one with: node -p `));
  expect(text).not.toContain(key.slice(0, 12));
});

test('a random key never counts as weak', () => {
  const weak = Array.from({ length: 100_000 }, () => randomBytes(32).toString('base64url')).filter(weaknessOf);
  expect(weak).toEqual([]);
});
