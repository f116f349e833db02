import { expect, test } from 'vitest';
import { linkText } from './link-text.ts';

const id = 'x';
const rental = (name: string, status: 'active' | 'unpaid' = 'active') => ({
  id,
  mcpId: id,
  status,
  type: 'monthly',
  startDate: '2026-12-01T00:00:00.000Z',
  endDate: null,
  features: [],
  source: 'payment' as const,
  name,
  isOffered: true,
  tier: null,
  charge: null,
  chargeIfResumed: null,
});
const trial = (name: string) => ({
  id,
  mcpId: id,
  status: 'active' as const,
  expiresAt: '2026-12-08T00:00:00.000Z',
  name,
  isOffered: true,
});
const purchase = (name: string) => ({ id, mcpId: id, status: 'active' as const, name });
const nothing = { rentals: [], purchases: [], trials: [] };

test("the dashboard's head names what users rent, own and try besides what their tier includes, and omits unpaid items", () => {
  expect(linkText('T0', nothing)).toBe('Every free service.');
  expect(linkText('T0', { ...nothing, rentals: [rental('Travel Pro'), rental('Maps', 'unpaid')] })).toBe(
    'Every free service. You also rent Travel Pro.',
  );
  expect(linkText('T1', { ...nothing, trials: [trial('Travel Pro'), trial('Maps')] })).toBe(
    'Services of the Basic tier, and every free one. You also try Travel Pro and Maps.',
  );
  expect(
    linkText('T0', {
      rentals: [rental('Travel Pro'), rental('Maps'), rental('Weather')],
      purchases: [purchase('Atlas')],
      trials: [trial('Rail')],
    }),
  ).toBe('Every free service. You also rent 3 services, own Atlas and try Rail.');
  expect(linkText('T3', { ...nothing, rentals: [rental('Travel Pro')] })).toBe('Every service.');
});
