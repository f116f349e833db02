import { expect, test } from 'vitest';
import { runToEnd } from './product.ts';

test.each(['2025-11-25', '2026-07-28'])(
  'the official suite passes every scored check of %s against our gateway, and against our upstream side',
  async (revision) => {
    const run = await runToEnd(['conformance/run.ts', revision], {});
    expect(run.code, run.output.slice(-4000)).toBe(0);
    // a suite that ran nothing would pass, too
    expect(run.stdout).toMatch(/Total: (\d{2,}) passed/);
    expect(run.output).toContain('OVERALL: PASSED');
  },
);
