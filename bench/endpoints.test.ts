import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrations } from '../apps/broker/src/migrations.ts';
import { openTestDatabase, temporaryRoot } from '../apps/broker/src/testing/databases/databases.ts';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { openShop, type OpenShop } from './parts/open-shop.ts';
import { createStatementCount, walkEndpoints, type Measured } from './parts/walk-endpoints.ts';

/** Maximum number of statements of a request, independent of its arguments and the amount of data. */
const mostStatements = 14;
/** Maximum bytes of a response: the largest page of a list is far below. */
const mostBytes = 1024 * 1024;

/** Requests with inherently higher figures, and those figures. */
const exceptions: Readonly<Record<string, { statements?: number; mebibytes?: number; why: string }>> = {
  'GET /api/users/:userId/calls.csv': { statements: 20, why: 'four for each page of 500 rows' },
  'GET /api/users/:userId/export': { statements: 30, why: 'one for each part, and pages of 500 rows' },
  'POST /admin/users/:id/export': { statements: 30, why: 'the same, of another person' },
  'POST /admin/manifests/deploy-all': { statements: 100, why: 'a run: one manifest after the other' },
  'GET /api/catalogue/servers/:serverId': { mebibytes: 2, why: 'all that one server offers' },
  'GET /admin/servers/:id/tools': { mebibytes: 2, why: 'all that one server offers' },
  'GET /mcp/capabilities': { mebibytes: 3, why: 'the whole catalogue: the specification has no pages' },
  'GET /mcp/tools': { mebibytes: 3, why: 'the whole catalogue: the specification has no pages' },
};

let opened: OpenShop;
let measured: Measured[];
beforeAll(async () => {
  const count = createStatementCount(await openTestDatabase(migrations));
  const dataDir = await mkdtemp(join(temporaryRoot(), 'endpoints-'));
  const size = { users: 250, manifests: 60, tools: 10, calls: 1_500, payments: 300, giantToolBytes: 1_000 };
  opened = await openShop(count.db, dataDir, size);
  count.watch(opened.app);
  measured = await walkEndpoints(opened.app, opened.shop, count.statements, 1);
});
afterAll(() => opened?.app.stop());

test('the product answers the most expensive request of every route without a server error', () => {
  expect(measured.length).toBeGreaterThan(150);
  // routes that are not offered say so
  const faults = measured.filter(({ status }) => status === 0 || (status >= 500 && status !== 501));
  expect(faults.map(({ route, status }) => `${route}: ${status}`)).toEqual([]);
});

test('no request sends more than a few statements, and none per row', () => {
  const over = measured.filter(
    ({ route, statements }) => statements > (exceptions[route]?.statements ?? mostStatements),
  );
  expect(over.map(({ route, statements }) => `${route}: ${statements}`)).toEqual([]);
  // statements are counted
  expect(measured.find(({ route }) => route === 'GET /readyz')?.statements).toBe(1);
});

test('the largest page of a response is small', () => {
  const most = (route: string) => (exceptions[route]?.mebibytes ?? 0) * 1024 * 1024 || mostBytes;
  const over = measured.filter(({ route, bytes }) => bytes > most(route));
  expect(over.map(({ route, bytes }) => `${route}: ${bytes}`)).toEqual([]);
});
