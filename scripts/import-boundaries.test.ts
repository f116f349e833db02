import { execFile } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';

// `#` begins a comment in a pattern of no-restricted-imports, so `#features/*` forbids nothing although it seems to:
// this test applies the patterns to files that break them.

const root = join(import.meta.dirname, '..');
const broker = 'apps/broker/src';

const refused: readonly (readonly [file: string, imported: string])[] = [
  ['packages/contract/src/file.ts', '#platform/log.ts'],
  ['packages/stripe-sandbox/src/deep/file.ts', '@souk/contract/errors.ts'],
  [`${broker}/platform/file.ts`, '#adapters/mcp/upstream.ts'],
  [`${broker}/adapters/file.ts`, '#features/gateway/index.ts'],
  [`${broker}/features/identity/file.ts`, '#features/catalogue/index.ts'],
  [`${broker}/features/catalogue/file.ts`, '#features/identity/index.ts'],
  [`${broker}/features/catalogue/deep/file.ts`, '#adapters/mcp/upstream.ts'],
  [`${broker}/features/diagnostics/file.ts`, '#features/usage/index.ts'],
  [`${broker}/features/billing/file.ts`, '#features/upstreams/index.ts'],
  [`${broker}/features/billing/credits/file.ts`, '../shop/record-transaction.ts'],
  [`${broker}/features/billing/entitlement/deep/file.ts`, '../../credits/ledger.ts'],
  [`${broker}/features/billing/shop/deep/file.ts`, '../../administration/periods.ts'],
  [`${broker}/features/upstreams/file.ts`, '#features/usage/index.ts'],
  [`${broker}/features/upstreams/deep/file.ts`, '#features/catalogue/store.ts'],
  [`${broker}/features/usage/file.ts`, '#features/gateway/index.ts'],
  [`${broker}/features/gateway/file.ts`, '#features/diagnostics/index.ts'],
  [`${broker}/features/gateway/other.ts`, '#adapters/mcp/connect/open-upstream.ts'],
  [`${broker}/main.ts`, './features/diagnostics/index.ts'],
  [`${broker}/beside.ts`, '#features/diagnostics/index.ts'],
  [`${broker}/app/step.ts`, '#features/diagnostics/create-diagnostics.ts'],
  ['apps/web/src/ui/file.ts', '#features/catalogue/queries.ts'],
  ['apps/web/src/features/upstreams/file.ts', '#features/gateway/queries.ts'],
];
const allowed: typeof refused = [
  [`${broker}/features/diagnostics/fine.ts`, '#features/identity/index.ts'],
  // the gateway's events, which it subscribes to
  [`${broker}/features/diagnostics/events.ts`, '#features/gateway/index.ts'],
  [`${broker}/features/billing/fine.ts`, '#features/catalogue/index.ts'],
  [`${broker}/features/billing/shop/deep/fine.ts`, '../../credits/ledger.ts'],
  [`${broker}/features/upstreams/fine.ts`, '#features/billing/index.ts'],
  [`${broker}/features/usage/fine.ts`, '#features/upstreams/index.ts'],
  [`${broker}/features/gateway/fine.ts`, '#features/usage/index.ts'],
  [`${broker}/features/gateway/error.ts`, '#adapters/mcp/upstream-error.ts'],
  [`${broker}/app.ts`, './features/diagnostics/index.ts'],
  [`${broker}/app/fine.ts`, '#features/diagnostics/index.ts'],
];
/** Two files whose types depend on each other. */
const circle: typeof refused = [
  [`${broker}/one.ts`, './two.ts'],
  [`${broker}/two.ts`, './one.ts'],
];

const reportSchema = z.object({ diagnostics: z.array(z.object({ filename: z.string(), code: z.string() })) });
let folder: string;
let found: z.infer<typeof reportSchema>['diagnostics'];

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'souk-boundaries-'));
  await copyFile(join(root, '.oxlintrc.json'), join(folder, '.oxlintrc.json'));
  for (const [file, imported] of [...refused, ...allowed, ...circle]) {
    await mkdir(dirname(join(folder, file)), { recursive: true });
    await writeFile(join(folder, file), `import type { A } from '${imported}';\nexport type B = A;\n`);
  }
  const report = await new Promise<string>((resolve) => {
    const args = [join(root, 'node_modules/oxlint/bin/oxlint'), '-f', 'json', '.'];
    // it exits with 1 when it finds something
    execFile(process.execPath, args, { cwd: folder }, (_error, stdout) => resolve(stdout));
  });
  found = reportSchema.parse(JSON.parse(report)).diagnostics;
});
afterAll(() => rm(folder, { recursive: true, force: true }));

const filesWith = (rule: string) => found.filter(({ code }) => code.includes(rule)).map(({ filename }) => filename);

test('an import that breaks the table of ARCHITECTURE.md fails the lint, and an allowed one does not', () => {
  expect(filesWith('no-restricted-imports').toSorted()).toEqual(refused.map(([file]) => file).toSorted());
});

test('a circle of imports fails the lint, even if it consists only of types', () => {
  expect(filesWith('no-cycle').toSorted()).toEqual(circle.map(([file]) => file));
});
