import type { ManifestRunItem } from '@souk/contract/admin-manifest-runs.ts';
import { expect, test } from 'vitest';
import { groupRun } from './run-groups.ts';

const item = (id: string, status: ManifestRunItem['status'], message?: string): ManifestRunItem => ({
  id,
  name: id.toUpperCase(),
  status,
  ...(message !== undefined && { message }),
});

test('equal failures are one group, failures come first, and all others stay by themselves', () => {
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
