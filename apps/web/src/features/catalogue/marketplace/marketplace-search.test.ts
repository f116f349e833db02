import { categories } from '@souk/contract/manifest/manifest-basics.ts';
import { describe, expect, test } from 'vitest';
import { filterCount, isNarrowed, parseMarketplaceSearch, typeLabels } from './marketplace-search.ts';

describe('the address', () => {
  test('[MKT-2] q is the search text', () => {
    expect(parseMarketplaceSearch({ q: '  travel ' })).toEqual({ q: 'travel' });
    expect(parseMarketplaceSearch({ q: [['travel']] })).toEqual({});
    expect(parseMarketplaceSearch({ q: '  ' })).toEqual({});
  });

  test('every filter is read, and unknown values are dropped', () => {
    const search = { q: 'a', type: 'data', tier: 'T3', price: 'paid', status: 'error', sort: 'tools' };
    expect(parseMarketplaceSearch(search)).toEqual(search);
    expect(parseMarketplaceSearch({ type: 'toString', tier: 3, price: ['free'], status: {}, sort: '' })).toEqual({});
  });

  test('a page is a whole number from 2, and the view is live or unset', () => {
    expect(parseMarketplaceSearch({ page: 3, view: 'live' })).toEqual({ page: 3, view: 'live' });
    expect(parseMarketplaceSearch({ page: '12' })).toEqual({ page: 12 });
    for (const page of [1, 0, -2, 1.5, 'two', '', null, [2], 1e9]) expect(parseMarketplaceSearch({ page })).toEqual({});
    expect(parseMarketplaceSearch({ view: 'map' })).toEqual({});
  });

  test("a text is cut at the broker's limit", () => {
    expect(parseMarketplaceSearch({ q: `${'x'.repeat(199)} y` })).toEqual({ q: 'x'.repeat(199) });
  });

  test('order, page and view do not narrow the list; a text and each filter do', () => {
    expect(isNarrowed({ sort: 'price', page: 2, view: 'live' })).toBe(false);
    expect([isNarrowed({ q: 'a' }), filterCount({ q: 'a' })]).toEqual([true, 0]);
    expect([isNarrowed({ tier: 'T0' }), filterCount({ tier: 'T0', status: 'error', type: 'api' })]).toEqual([true, 3]);
  });

  test("the types are the manifest's categories", () => {
    expect(typeLabels).toEqual(categories);
  });
});
