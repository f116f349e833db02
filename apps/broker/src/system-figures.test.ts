import { expect, test } from 'vitest';
import { readSystemFigures } from './system-figures.ts';

const config = { dataDir: '/', payments: 'stripe' } as const;
const unknown = { databaseUp: 0, ledgerDifferences: NaN, events: { waiting: NaN, failing: NaN, lastAtSeconds: NaN } };

test('a database that is down is a figure, and its other figures are unknown', async () => {
  const query = () => Promise.reject(new Error('ECONNREFUSED'));
  const figures = await readSystemFigures({ query }, config);
  expect(figures).toMatchObject(unknown);
  expect(figures.diskFreeBytes).toBeGreaterThan(0);
});

test('a database that never responds does not block the other figures', async () => {
  const query = () => new Promise<never>(() => {});
  expect(await readSystemFigures({ query }, config, 10)).toMatchObject(unknown);
});

test('a shop that sells nothing has no payment events', async () => {
  const query = async <Row>() => ({ rows: [{ at: new Date(), differences: 2 }] as Row[], affectedRows: 0 });
  const figures = await readSystemFigures({ query }, { ...config, payments: 'off' });
  expect(figures).toMatchObject({ databaseUp: 1, ledgerDifferences: 2, events: undefined });
});
