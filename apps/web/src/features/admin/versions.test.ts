import { expect, test } from 'vitest';
import { isLaterVersion } from './versions.ts';

test.each([
  ['1.1.0', '1.0.0', true],
  ['1.0.0', '1.1.0', false],
  ['1.10.0', '1.9.0', true],
  ['1.0.0', '1.0.0', false],
  ['1.0.0', '1.0.0-rc.1', true],
  ['1.0.0-rc.1', '1.0.0', false],
  ['1.0.0-rc.10', '1.0.0-rc.9', true],
  ['1.0.0+b', '1.0.0+a', false],
  ['2026-11-30', '2026-11-29', true],
])('%s is later than %s: %s', (version, other, isLater) => {
  expect(isLaterVersion(version, other)).toBe(isLater);
});
