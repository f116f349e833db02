import type { Needs } from '@souk/contract/admin/overview.ts';
import { expect, test } from 'vitest';
import { needGroups } from './need-rows.ts';

const none = { total: 0, items: [] };
const nothing: Needs = {
  toolsUnderReview: none,
  stagedVersions: none,
  failingServers: none,
  endingCertificates: none,
  signInsToConfirm: none,
  failedRenewals: none,
  disputes: none,
  failingEvents: none,
  flaggedOrders: none,
  failedRefunds: none,
  foundPayments: none,
  ledgerFaults: { ...none, checkedAt: null },
};

test('a certificate that ends, or has ended, is listed with its day, its issuer and a link to its server', () => {
  const one = { serverId: 'top', name: 'Summit', validUntil: '2026-12-01T12:00:00.000Z' };
  const items = [
    { ...one, issuer: 'An authority', hasExpired: false },
    { ...one, issuer: null, hasExpired: true },
  ];
  const [group, ...others] = needGroups({ ...nothing, endingCertificates: { total: 2, items } });
  expect(others).toEqual([]);
  const texts = group?.rows.map(({ before, link, after, detail }) => `${before}${link?.text}${after} ${detail}`);
  expect(texts).toEqual([
    'The certificate of Summit expires on Dec 1, 2026. Calls to it fail then. Issued by An authority. Its owner has to renew it.',
    'The certificate of Summit expired on Dec 1, 2026. Calls to it fail. Issued by an unnamed authority. Its owner has to renew it.',
  ]);
  expect(group?.rows[0]?.link?.search).toEqual({ tab: 'manifests', id: 'top' });
});

test('a server with an unconfirmed sign-in address is listed with both names, and a link to its page', () => {
  const since = '2026-12-01T12:00:00.000Z';
  const items = [{ serverId: 'vault', name: 'Vault', issuer: 'https://id.other.example/tenant', since }];
  const [group, ...others] = needGroups({ ...nothing, signInsToConfirm: { total: 1, items } });
  expect(others).toEqual([]);
  expect(group).toMatchObject({ title: 'Sign-ins to confirm', tone: 'urgent' });
  const [row] = group?.rows ?? [];
  expect(`${row?.before}${row?.link?.text}${row?.after} ${row?.detail}`).toBe(
    'No one can sign in to Vault until you decide where it may send people. It sends people to https://id.other.example/tenant.',
  );
  expect(row).toMatchObject({ since, link: { search: { tab: 'manifests', id: 'vault' } } });
});
