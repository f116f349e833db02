import type { ManifestRunItem } from '@souk/contract/admin/manifest-runs.ts';
import { expect, test } from 'vitest';
import { groupRun } from './run-groups.ts';

const item = (id: string, status: ManifestRunItem['status'], message?: string): ManifestRunItem => ({
  id,
  name: id.toUpperCase(),
  status,
  ...(message !== undefined && { message }),
});

test('equal failures are one group, failures come first, and each other item is listed separately', () => {
  const groups = groupRun([
    item('a', 'done'),
    item('b', 'failed', 'refused'),
    item('c', 'queued'),
    item('d', 'failed', 'timeout'),
    item('e', 'failed', 'refused'),
    item('f', 'unanswered', 'refused'),
    item('g', 'working'),
    item('h', 'done'),
  ]);
  expect(groups.map(({ status, items }) => `${status} ${items.map(({ id }) => id).join()}`)).toEqual([
    'failed b,e',
    'failed d',
    'unanswered f',
    'working g',
    'queued c',
    'done a',
    'done h',
  ]);
  expect(groupRun([])).toEqual([]);
});

test('failures that differ only in their address are one group, shown without it', () => {
  const groups = groupRun([
    item('a', 'failed', 'connect ECONNREFUSED 127.0.0.1:4701'),
    item('b', 'failed', 'connect ECONNREFUSED [::1]:4702'),
    item('c', 'failed', 'HTTP 404'),
    item('d', 'failed', 'HTTP 403'),
  ]);
  expect(groups.map(({ message, items }) => [message, items.length])).toEqual([
    ['connect ECONNREFUSED', 2],
    ['HTTP 404', 1],
    ['HTTP 403', 1],
  ]);
  expect(groupRun([item('a', 'failed', 'connect ECONNREFUSED 127.0.0.1:4701')])[0]?.message).toBe(
    'connect ECONNREFUSED 127.0.0.1:4701',
  );
});
