import { expect, test } from 'vitest';
import { statusText } from './service-texts.ts';

const endsAt = '2026-11-20T12:00:00.000Z';
const rented = { accessType: 'rental' as const, expiresAt: endsAt, features: [], isCancelled: false };
const hourMs = 3_600_000;
const at = (hours: number) => Date.parse(endsAt) + hours * hourMs;

test('a rental that is about to be renewed does not expire on a day that has passed', () => {
  expect(statusText(rented, at(-1))).toBe('Rented - expires Nov 20, 2026');
  expect(statusText(rented, at(1))).toBe('Rented - active');
  expect(statusText({ ...rented, isCancelled: true }, at(1))).toBe('Rented - expires Nov 20, 2026');
  expect(statusText({ ...rented, expiresAt: null }, at(1))).toBe('Rented - active');
});
