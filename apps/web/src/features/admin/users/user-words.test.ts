import { expect, test } from 'vitest';
import { nameOf } from './user-words.ts';

test('[USR-3] a user is named by their user name, or by the local part of their address', () => {
  expect(nameOf({ username: 'bea', email: 'b@souk.test' })).toBe('bea');
  expect(nameOf({ username: null, email: 'b.stone@souk.test' })).toBe('b.stone');
  expect(nameOf({ username: null, email: '"a@b"@souk.test' })).toBe('"a@b"');
});
