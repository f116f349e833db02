import { expect, test } from 'vitest';
import { readSystemFigures } from './system-figures.ts';

const config = { dataDir: '/', payments: 'stripe' } as const;
const unknown = { databaseUp: 0, ledgerDifferences: NaN, events: { waiting: NaN, failing: NaN, lastAtSeconds: NaN } };

test('a database that is away is a figure, and what it would say is not known', async () => {
  const query = () => Promise.reject(new Error('ECONNREFUSED'));
  const figures = await readSystemFigures({ query }, config);
  expect(figures).toMatchObject(unknown);
  expect(figures.diskFreeBytes).toBeGreaterThan(0);
});

test('a database that never answers does not keep the figures of the process from the monitoring', async () => {
  const query = () => new Promise<never>(() => {});
  expect(await readSystemFigures({ query }, config, 10)).toMatchObject(unknown);
});

test('a shop that sells nothing has no events of payments', async () => {
  const query = async <Row>() => ({ rows: [{ at: new Date(), differences: 2 }] as Row[], affectedRows: 0 });
  const figures = await readSystemFigures({ query }, { ...config, payments: 'off' });
  expect(figures).toMatchObject({ databaseUp: 1, ledgerDifferences: 2, events: undefined });
});
