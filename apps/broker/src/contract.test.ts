import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { endpoints, openApiDocument } from './openapi.ts';
import { version } from './version.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
});
afterAll(() => app?.stop());

test('every endpoint of the contract is served by exactly one route', () => {
  const ids = (list: readonly { id: string }[]) => list.map(({ id }) => id).sort();
  expect(ids(app.router.served)).toEqual(ids(endpoints));
  expect(new Set(ids(endpoints)).size).toBe(endpoints.length);
  const addresses = endpoints.map(({ method, path }) => `${method} ${path}`);
  expect(new Set(addresses).size).toBe(addresses.length);
});

test('openapi.json is current: npm run openapi writes it', () => {
  const stored: unknown = JSON.parse(readFileSync(join(import.meta.dirname, '../../../openapi.json'), 'utf8'));
  expect(stored).toEqual(JSON.parse(JSON.stringify(openApiDocument(version))));
});
