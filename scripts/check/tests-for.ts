import { globSync } from 'node:fs';
import { dirname, join } from 'node:path';

/** Tests in other folders that depend on a folder. Only the longest matching folder counts; patterns are relative to the root. */
export const elsewhere: Readonly<Record<string, readonly string[]>> = {
  'apps/web/src/features/admin/': ['e2e/journeys/admin*.spec.ts'],
  'apps/web/src/features/billing/': ['e2e/journeys/{buying,plans,changing-plans,billing-tab,rent}.spec.ts'],
  'apps/web/src/features/catalogue/': ['e2e/journeys/{home,marketplace,service,server-cards}.spec.ts'],
  'apps/web/src/features/gateway/': ['e2e/journeys/{connect,my-services}.spec.ts'],
  'apps/web/src/features/identity/': ['e2e/journeys/{account,session,sign-in-pages,tokens}.spec.ts'],
  'apps/web/src/features/notices/': ['e2e/journeys/account.spec.ts'],
  'apps/web/src/features/tool-runs/': ['e2e/journeys/try-it.spec.ts'],
  'apps/web/src/features/upstreams/': ['e2e/journeys/{connections,upstream-accounts}.spec.ts'],
  'apps/web/src/features/usage/': ['e2e/journeys/usage.spec.ts'],
  'apps/web/src/': ['e2e/journeys/{home,keyboard,newcomer}.spec.ts'],
  'apps/broker/src/features/billing/': ['apps/broker/src/whole-broker/administration/*.test.ts'],
  'apps/broker/src/features/catalogue/': ['apps/broker/src/whole-broker/administration/manifests.test.ts'],
  'apps/broker/src/platform/http/': [
    'apps/broker/src/app.test.ts',
    'apps/broker/src/whole-broker/{pipelines,request-rates}.test.ts',
  ],
  'packages/contract/': ['apps/broker/src/whole-broker/contract.test.ts'],
  'packages/stripe-sandbox/': ['apps/broker/src/features/billing/shop/checkout/*.test.ts'],
  'scripts/': ['scripts/*.test.ts', 'scripts/tests/*.test.ts'],
};

/** Test files, relative to the root, by what runs them. */
export type ChosenTests = { unit: string[]; e2e: string[]; browser: string[]; changed: string[] };

/**
 * Returns the tests for changed files: changed tests, the tests beside changed files, and those that depend on their folder.
 * @param paths relative to the root; a deleted file counts by its folder
 */
export function testsFor(paths: readonly string[], root: string): ChosenTests {
  const files = new Set(paths.flatMap((path) => [...testsBeside(path), ...testsElsewhere(path)]).flatMap(find));
  const all = [...files].toSorted();
  const changed = paths.filter((path) => isTest(path) && files.has(path));
  return {
    unit: all.filter((file) => file.endsWith('.test.ts') && !file.startsWith('e2e/')),
    e2e: all.filter((file) => file.endsWith('.test.ts') && file.startsWith('e2e/') && changed.includes(file)),
    browser: all.filter((file) => file.endsWith('.spec.ts')),
    changed,
  };

  function find(pattern: string): string[] {
    return globSync(pattern, { cwd: root });
  }
}

const isTest = (path: string) => /\.(?:test|spec)\.ts$/.test(path);

function testsBeside(path: string): string[] {
  if (isTest(path)) return [path];
  // fixtures of tests are in a subfolder
  const folder = dirname(path).replace(/\/testing$/, '');
  return /\.tsx?$/.test(path) ? [join(folder, '*.test.ts')] : [];
}

function testsElsewhere(path: string): readonly string[] {
  const [longest] = Object.keys(elsewhere)
    .filter((folder) => path.startsWith(folder))
    .toSorted((one, other) => other.length - one.length);
  return longest === undefined ? [] : (elsewhere[longest] ?? []);
}
