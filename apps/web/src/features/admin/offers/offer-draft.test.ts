import { expect, test } from 'vitest';
import { emptyDraft, mergeDrafts, readDraft } from './offer-draft.ts';

const base = { ...emptyDraft('plan', 2), id: 'pro', name: 'Pro', price: '5.00', description: 'Before.' };

test('a field that only another administrator changed takes their value, and a field that both changed keeps your own', () => {
  const theirs = { ...base, price: '7.50', name: 'Professional', place: '1' };
  const mine = { ...base, description: 'Mine.', name: 'Pro 2' };
  expect(mergeDrafts(base, mine, theirs)).toEqual({ ...theirs, description: 'Mine.', name: 'Pro 2' });
});

const faultsOf = (changed: object) => {
  const read = readDraft({ ...base, monthlyCredits: '0', ...changed }, { currency: 'USD', isArchived: false });
  return 'errors' in read ? read.errors : read.fields;
};
const pack = { ...emptyDraft('package', 1), id: 'some', name: 'Some', price: '5' };

test.each([
  ['0', 'Must be at least $0.50, the least that the payment provider charges.'],
  ['0.01', 'Must be at least $0.50, the least that the payment provider charges.'],
  ['999999999', 'Must be at most $100,000.'],
  ['100000.01', 'Must be at most $100,000.'],
  ['1,000', 'Must be an amount such as 12.00, without thousands separators.'],
  ['', 'Must be an amount such as 12.00.'],
  ['1e2', 'Must be an amount such as 12.00.'],
])('a price of %j is refused in the unit of its field', (price, fault) => {
  expect(faultsOf({ price })).toEqual({ price: fault });
});

test.each([
  ['99999999999', 'Must be at most 1,000,000.'],
  ['9'.repeat(400), 'Must be at most 1,000,000.'],
  ['1,000', 'Must be a whole number without separators, such as 1000.'],
  ['1e9', 'Must be a whole number.'],
  ['', 'Must be a whole number.'],
])('monthly credits of %j are refused with the allowed values', (monthlyCredits, fault) => {
  expect(faultsOf({ monthlyCredits })).toEqual({ monthlyCredits: fault });
});

test('a package has its own limits, and valid fields are read', () => {
  expect(faultsOf({ ...pack, credits: '10 000', bonus: '10000001' })).toEqual({
    credits: 'Must be a whole number without separators, such as 1000.',
    bonus: 'Must be at most 10,000,000.',
  });
  expect(faultsOf({ ...pack, credits: ' 1000 ', price: '100000,00' })).toMatchObject({
    amount: 100_000_00,
    credits: 1000,
  });
});
