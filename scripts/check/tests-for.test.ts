import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { elsewhere, testsFor } from './tests-for.ts';

const root = join(import.meta.dirname, '../..');

test('a changed file selects the tests next to it, and those that observe the behavior of its folder', () => {
  const call = testsFor(['apps/broker/src/features/gateway/call/run-call.ts'], root);
  expect(call.unit).toContain('apps/broker/src/features/gateway/call/paid-calls.test.ts');
  expect([call.browser, call.changed]).toEqual([[], []]);
  const fixture = testsFor(['apps/broker/src/features/gateway/call/testing/ending-server.ts'], root);
  expect(fixture.unit).toEqual(call.unit);
  const screen = testsFor(['apps/web/src/features/admin/manifests/manifests-tab.tsx'], root);
  expect(screen.browser).toContain('e2e/journeys/admin-manifests.spec.ts');
});

test('a changed test selects itself, in its own runner; a deleted one does not', () => {
  const files = ['e2e/backup.test.ts', 'e2e/journeys/home.spec.ts', 'scripts/run.test.ts', 'scripts/gone.test.ts'];
  const { unit, e2e, browser, changed } = testsFor(files, root);
  expect(changed).toEqual(files.slice(0, 3));
  expect([e2e, browser]).toEqual([['e2e/backup.test.ts'], ['e2e/journeys/home.spec.ts']]);
  expect(unit).toContain('scripts/run.test.ts');
});

test('every folder and every pattern of the table exists', () => {
  for (const [folder, patterns] of Object.entries(elsewhere)) {
    expect(existsSync(join(root, folder)), folder).toBe(true);
    const seen = testsFor([`${folder}nothing.md`], root);
    expect(seen.unit.length + seen.browser.length, patterns.join()).toBeGreaterThan(0);
  }
});
