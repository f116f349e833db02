import { spawnSync } from 'node:child_process';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { checks, testProjects, testSteps, testTurns } from './steps.ts';

const root = join(import.meta.dirname, '../..');
const listSchema = z.array(z.object({ file: z.string(), projectName: z.string() }));

test('[CFG-18] npm test runs the checks and every test file of the repository', () => {
  const packageJson: unknown = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  expect(packageJson).toMatchObject({ scripts: { test: 'node scripts/run.mjs scripts/test.ts' } });
  expect(checks.map(({ name }) => name)).toEqual(['types', 'types web', 'types e2e', 'lint', 'format', 'dead code']);
  for (const { args } of checks) expect(existsSync(join(root, 'node_modules', args[0] ?? '')), args[0]).toBe(true);

  const listed = spawnSync(process.execPath, ['node_modules/vitest/vitest.mjs', 'list', '--filesOnly', '--json'], {
    cwd: root,
    encoding: 'utf8',
  });
  const run = listSchema.parse(JSON.parse(listed.stdout));
  expect(new Set(run.map(({ projectName }) => projectName))).toEqual(new Set(testProjects));
  expect(testTurns.flat().sort()).toEqual(testSteps.map(({ name }) => name).sort());
  const find = (pattern: string) =>
    globSync(`{apps,packages,services,scripts,bench,e2e}/**/*.${pattern}`, {
      cwd: root,
      exclude: ['**/node_modules/**'],
    });
  const written = find('test.{ts,tsx}');
  // its folder has all Playwright tests
  expect(find('spec.{ts,tsx}').filter((file) => !file.startsWith('e2e/journeys/'))).toEqual([]);
  expect(run.map(({ file }) => file.slice(root.length + 1)).sort()).toEqual(written.sort());
});
