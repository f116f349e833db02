/** `args`: a program of node_modules and its arguments. `report`: where vitest writes its counts. */
export type Step = { name: string; args: string[]; report?: string };

/** The checks of `npm test` that do not run the product. */
export const checks: readonly Step[] = [
  { name: 'types', args: ['typescript/bin/tsc', '--noEmit'] },
  { name: 'types web', args: ['typescript/bin/tsc', '--noEmit', '-p', 'apps/web'] },
  { name: 'types e2e', args: ['typescript/bin/tsc', '--noEmit', '-p', 'e2e'] },
  { name: 'lint', args: ['oxlint/bin/oxlint', '--deny-warnings'] },
  { name: 'format', args: ['oxfmt/bin/oxfmt', '--check', '.'] },
  { name: 'dead code', args: ['knip/bin/knip.js'] },
];

/** vitest's projects. Each is a step of its own. */
export const testProjects = ['unit', 'e2e', 'engines', 'timed'] as const;

/** The steps in turns; those of one turn run side by side. Nothing runs beside the tests that measure time. */
export const testTurns: readonly (readonly string[])[] = [['unit'], ['timed'], ['browser', 'e2e'], ['engines']];
