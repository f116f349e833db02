import { categories } from '@souk/contract/manifest.ts';
import { describe, expect, test } from 'vitest';
import { findServers, isNarrowed, parseMarketplaceSearch, typeLabels } from './find-servers.ts';
import { testServer } from './testing/test-server.ts';

const rented = {
  tier: 'T2',
  rental: { price: 900, currency: 'USD', name: '', description: '' },
  features: [],
} as const;
const metadata = (category: string) => ({ category, description: '', version: '1', author: 'Tests' });
const notes = testServer({
  serverId: 'notes',
  displayName: 'Notes',
  displayDescription: 'Full-text search in what you wrote.',
  metadata: metadata('Productivity'),
  status: 'error',
  capabilities: { tools: 7, prompts: 1, resources: 1 },
});
const travel = testServer({
  serverId: 'travel-pro',
  displayName: 'travel Pro',
  displayDescription: 'Routes and jet lag.',
  metadata: metadata('Data Sources'),
  billing: { ...rented, features: [] },
  capabilities: { tools: 11, prompts: 0, resources: 0 },
  lastUpdate: '2026-11-21T04:00:00.000Z',
});
const echo = testServer({ serverId: 'zz-echo', displayName: 'Echo', status: 'disconnected' });
const planOnly = testServer({ serverId: 'plan-only', displayName: 'Reports', billing: { tier: 'T1', features: [] } });
const all = [travel, notes, planOnly, echo];
const ids = (servers: readonly { serverId: string }[]) => servers.map(({ serverId }) => serverId);

describe('search and order', () => {
  test('[MKT-16] Search matches name, description or id, case-insensitively', () => {
    expect(ids(findServers(all, { q: 'TRAVEL PRO' }))).toEqual(['travel-pro']);
    expect(ids(findServers(all, { q: 'full-TEXT' }))).toEqual(['notes']);
    expect(ids(findServers(all, { q: 'zz-' }))).toEqual(['zz-echo']);
    expect(findServers(all, { q: 'no such thing' })).toEqual([]);
  });

  test('characters that mean something in patterns are plain text in a search', () => {
    expect(findServers(all, { q: '.*' })).toEqual([]);
    expect(ids(findServers([testServer({ serverId: 'c', displayName: 'C++ (beta)' })], { q: '++ (' }))).toEqual(['c']);
  });

  test('[MKT-17] Results are sorted by name, whatever the case of its first letter', () => {
    expect(ids(findServers(all, {}))).toEqual(['zz-echo', 'notes', 'plan-only', 'travel-pro']);
  });

  test('[MKT-22] sort orders by price, by tools or by the last update, and by name among equals', () => {
    expect(ids(findServers(all, { sort: 'price' }))).toEqual(['zz-echo', 'notes', 'travel-pro', 'plan-only']);
    expect(ids(findServers(all, { sort: 'tools' }))).toEqual(['travel-pro', 'notes', 'zz-echo', 'plan-only']);
    expect(ids(findServers(all, { sort: 'updated' }))).toEqual(['travel-pro', 'zz-echo', 'notes', 'plan-only']);
  });

  test('the list that was given stays as it was', () => {
    const given = [travel, echo];
    findServers(given, {});
    expect(given).toEqual([travel, echo]);
  });
});

describe('filters', () => {
  test("[MKT-18] type filters by the manifest's category", () => {
    expect(typeLabels).toEqual(categories);
    expect(ids(findServers(all, { type: 'api' }))).toEqual(['zz-echo', 'plan-only']);
    expect(ids(findServers(all, { type: 'data' }))).toEqual(['travel-pro']);
    expect(ids(findServers(all, { type: 'productivity' }))).toEqual(['notes']);
  });

  test('[MKT-19] tier filters by tier, and a server without billing is T0', () => {
    expect(ids(findServers(all, { tier: 'T0' }))).toEqual(['zz-echo', 'notes']);
    expect(ids(findServers(all, { tier: 'T2' }))).toEqual(['travel-pro']);
  });

  test('[MKT-20] price filters by free or paid: T0 is free, a rental price on it or not', () => {
    const rentedFree = testServer({ serverId: 'a-rented', billing: { ...rented, tier: 'T0', features: [] } });
    const servers = [...all, rentedFree];
    expect(ids(findServers(servers, { price: 'free' }))).toEqual(['a-rented', 'zz-echo', 'notes']);
    expect(ids(findServers(servers, { price: 'paid' }))).toEqual(['plan-only', 'travel-pro']);
    expect(ids(findServers(servers, { sort: 'price' }))).toEqual([
      'a-rented',
      'zz-echo',
      'notes',
      'travel-pro',
      'plan-only',
    ]);
  });

  test('[MKT-21] status filters by server status', () => {
    expect(ids(findServers(all, { status: 'connected' }))).toEqual(['plan-only', 'travel-pro']);
    expect(ids(findServers(all, { status: 'disconnected' }))).toEqual(['zz-echo']);
    expect(ids(findServers(all, { status: 'error' }))).toEqual(['notes']);
  });

  test('filters narrow together', () => {
    expect(ids(findServers(all, { q: 'e', price: 'paid', type: 'api' }))).toEqual(['plan-only']);
    expect(isNarrowed({ sort: 'price' })).toBe(false);
    expect(isNarrowed({ sort: 'price', tier: 'T0' })).toBe(true);
  });
});

describe('the address', () => {
  test('[MKT-2] q is the search text, also where a router reads a number or a boolean', () => {
    expect(parseMarketplaceSearch({ q: '  travel ' })).toEqual({ q: 'travel' });
    expect(parseMarketplaceSearch({ q: 2026 })).toEqual({ q: '2026' });
    expect(parseMarketplaceSearch({ q: true })).toEqual({ q: 'true' });
    expect(parseMarketplaceSearch({ q: '  ' })).toEqual({});
  });

  test('every filter is read, and values that do not exist are dropped', () => {
    const search = { q: 'a', type: 'data', tier: 'T3', price: 'paid', status: 'error', sort: 'tools' };
    expect(parseMarketplaceSearch(search)).toEqual(search);
    expect(parseMarketplaceSearch({ type: 'toString', tier: 3, price: ['free'], status: {}, sort: '' })).toEqual({});
  });
});
