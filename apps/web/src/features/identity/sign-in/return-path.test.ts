import { expect, test } from 'vitest';
import { chooseReturnPath } from './return-path.ts';

const origin = 'https://souk.example';

test('[SIGN-39] a stored path of this site is used, with its query and fragment', () => {
  for (const path of ['/marketplace?q=a%20b', '/service/notes#tools', '/dashboard?tab=tokens']) {
    expect(chooseReturnPath(path, origin)).toBe(path);
  }
});

test('[SIGN-40] without a stored path the target is /dashboard', () => {
  expect(chooseReturnPath(null, origin)).toBe('/dashboard');
});

test('a stored path / counts as unset: a sign-in on the home page leads to the dashboard', () => {
  for (const path of ['/', '/?from=mail', '/#connect', '/./']) {
    expect(chooseReturnPath(path, origin), path).toBe('/dashboard');
  }
});

test('a path that leads to another host is refused in every spelling', () => {
  const spellings = [
    '//evil.example',
    '/\\evil.example',
    '\\\\evil.example',
    'https://evil.example/',
    `${origin}/dashboard`,
    'javascript:alert(1)',
    'dashboard',
    '',
    '/\t/evil.example',
    '/\n/evil.example',
    '/.//evil.example',
    '/a/..//evil.example',
    ' //evil.example',
  ];
  for (const spelling of spellings) expect(chooseReturnPath(spelling, origin), spelling).toBe('/dashboard');
});

test('a callback is not a return target', () => {
  expect(chooseReturnPath('/auth/callback?code=1', origin)).toBe('/dashboard');
});
