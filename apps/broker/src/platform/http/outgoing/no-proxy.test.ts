import { expect, test } from 'vitest';
import { readNoProxy } from './no-proxy.ts';

test.each([
  ['example.com', 'example.com', true],
  ['example.com', 'EXAMPLE.com.', true],
  ['example.com', 'a.b.example.com', true],
  ['example.com', 'notexample.com', false],
  ['.example.com', 'a.example.com', true],
  ['.example.com', 'example.com', true],
  ['*.example.com', 'a.example.com', true],
  ['*.example.com', 'example.com', false],
  ['example.com:8443', 'example.com', false],
  ['example.com:443', 'example.com', true],
  ['*', 'anything.test', true],
  ['*:80', 'anything.test', false],
  ['10.0.0.0/8', '10.1.2.3', true],
  ['10.0.0.0/8', '11.1.2.3', false],
  ['10.0.0.0/8', 'name.test', false],
  ['10.0.0.0/40', '10.1.2.3', false],
  ['::1', '[::1]', true],
  ['[::1]:443', '[::1]', true],
  ['[::1]:80', '[::1]', false],
  ['fd00::/8', '[fd00::5]', true],
  ['', 'name.test', false],
  ['.', 'name.test', false],
  ['*.', 'name.test', false],
])('NO_PROXY=%s and https://%s: direct is %s', (entry, host, isDirect) => {
  expect(readNoProxy([entry])(host, 443)).toBe(isDirect);
});
