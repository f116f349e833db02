import { afterAll, beforeAll, expect, test } from 'vitest';
import { startHttpFixture } from '#testing/mcp-fixture.ts';
import { startTestApp, withoutHealthChecks, type TestApp } from '#testing/start-app.ts';
import { manifestText, testingAdministrator } from './testing/testing-administrator.ts';

let app: TestApp;
let admin: Awaited<ReturnType<typeof testingAdministrator>>;
const fixtures = new Map<string, Awaited<ReturnType<typeof startHttpFixture>>>();

beforeAll(async () => {
  for (const era of ['legacy', 'modern', 'both'] as const) fixtures.set(era, await startHttpFixture(era));
  app = await startTestApp({
    allowAddresses: [...fixtures.values()].map(({ address }) => address),
    env: withoutHealthChecks,
  });
  admin = await testingAdministrator(app.publicUrl);
});
afterAll(async () => {
  await app?.stop();
  for (const fixture of fixtures.values()) await fixture.close();
});

test('a server over HTTP is tested step by step, from its manifest to its tools', async () => {
  const url = fixtures.get('both')?.url ?? '';
  const told = await admin.test({ manifest: manifestText({ id: 'new', connection: { type: 'http', url } }) });
  expect(told.steps).toEqual([
    'manifest passed',
    'resolve passed',
    'address passed',
    'tls skipped',
    'connect passed',
    'initialize passed',
    'lists passed',
    'findings passed',
  ]);
  expect(told.end).toMatchObject({ result: 'passed' });
});
