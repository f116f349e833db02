import { expect, test } from 'vitest';
import { howToGetAccess, isFree } from './access-text.ts';

const rental = { price: 900, currency: 'USD', name: 'A month', description: '' };

test('a server says which plan includes it, and what it costs alone', () => {
  expect(howToGetAccess({ billing: { tier: 'T2', rental, features: [] } })).toBe(
    'Included in Professional, or rent it for $9.00/month.',
  );
  expect(howToGetAccess({ billing: { tier: 'T3', features: [] } })).toBe('Included in Enterprise.');
});

test('[MKT-20] a T0 server is free, a rental price on it or not', () => {
  expect(isFree({})).toBe(true);
  expect(isFree({ billing: { tier: 'T0', features: [] } })).toBe(true);
  expect(isFree({ billing: { tier: 'T0', rental, features: [] } })).toBe(true);
  expect(isFree({ billing: { tier: 'T1', features: [] } })).toBe(false);
});
