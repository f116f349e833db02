/** `args`: a program of node_modules and its arguments. */
export type Step = { name: string; args: string[] };

/** The checks of `npm test` that do not run the product. */
export const checks: readonly Step[] = [
  { name: 'types', args: ['typescript/bin/tsc', '--noEmit'] },
  { name: 'types web', args: ['typescript/bin/tsc', '--noEmit', '-p', 'apps/web'] },
  { name: 'types e2e', args: ['typescript/bin/tsc', '--noEmit', '-p', 'e2e'] },
  { name: 'lint', args: ['oxlint/bin/oxlint', '--deny-warnings'] },
  { name: 'format', args: ['oxfmt/bin/oxfmt', '--check', '.'] },
  { name: 'dead code', args: ['knip/bin/knip.js'] },
];

/** Vitest's projects, each its own step. */
export const testProjects = ['unit', 'e2e', 'engines'] as const;

export function vitestStep(name: string, args: readonly string[]): Step {
  const reporters = ['--reporter=default', '--reporter=./scripts/tests/vitest-reporter.ts'];
  return { name, args: ['vitest/vitest.mjs', 'run', '--passWithNoTests', ...reporters, ...args] };
}

/** Runs the journeys in a browser. */
export function playwrightStep(name: string, args: readonly string[]): Step {
  const reporters = '--reporter=list,./scripts/tests/playwright-reporter.ts';
  return { name, args: ['@playwright/test/cli.js', 'test', reporters, ...args] };
}

export const testSteps: readonly Step[] = [
  ...testProjects.map((project) => vitestStep(project, ['--project', project])),
  playwrightStep('browser', []),
];

/** Names of the test steps in the order in which they run. The steps of one turn run concurrently. */
export const testTurns: readonly (readonly string[])[] = [['unit'], ['browser', 'e2e'], ['engines']];
