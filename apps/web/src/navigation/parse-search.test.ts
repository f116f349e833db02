import { expect, test } from 'vitest';
import { parseAdminSearch } from '#features/admin/admin-search.ts';
import { parseMarketplaceSearch } from '#features/catalogue/marketplace/marketplace-search.ts';
import { parseDashboardSearch } from '#features/identity/dashboard-tabs.ts';
import { parseSearch } from './parse-search.ts';

test('every value in an address is text', () => {
  expect(parseSearch('?a=true&b=false&c=2026&d=null&e=%22x%22&f=&g=[1]&h=1e3')).toEqual({
    a: 'true',
    b: 'false',
    c: '2026',
    d: 'null',
    e: '"x"',
    f: '',
    g: '[1]',
    h: '1e3',
  });
  expect(parseSearch('')).toEqual({});
});

test('the first of two values counts, and no name is special', () => {
  expect(parseSearch('?q=travel&q=notes')).toEqual({ q: 'travel' });
  expect(Object.entries(parseSearch('?__proto__=a&constructor=b'))).toEqual([
    ['__proto__', 'a'],
    ['constructor', 'b'],
  ]);
});

test('the administration has a page of a server called true, a search for false and the status filter', () => {
  expect(parseAdminSearch(parseSearch('?tab=users&active=false&page=2'))).toEqual({
    tab: 'users',
    active: 'false',
    page: 2,
  });
  expect(parseAdminSearch(parseSearch('?tab=users&active=true'))).toEqual({ tab: 'users', active: 'true' });
  expect(parseAdminSearch(parseSearch('?id=true'))).toEqual({ id: 'true' });
  expect(parseAdminSearch(parseSearch('?q=false&plan=true&all=true'))).toEqual({
    q: 'false',
    plan: 'true',
    all: 'true',
  });
  expect(parseAdminSearch(parseSearch('?user=1e3&part=profile'))).toEqual({ user: '1e3', part: 'profile' });
});

test('the dashboard and the marketplace search for what was typed, and count pages', () => {
  expect(parseDashboardSearch(parseSearch('?tab=services&q=true&page=3'))).toEqual({
    tab: 'services',
    q: 'true',
    page: 3,
  });
  expect(parseDashboardSearch(parseSearch('?tab=services&q=1.50&page=1'))).toEqual({ tab: 'services', q: '1.50' });
  expect(parseMarketplaceSearch(parseSearch('?q=true&page=2'))).toEqual({ q: 'true', page: 2 });
  expect(parseMarketplaceSearch(parseSearch('?q=007'))).toEqual({ q: '007' });
});
