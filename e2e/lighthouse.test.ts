import { expect, test } from 'vitest';
import { z } from 'zod';
import { isInstalled } from '../clients/install.ts';
import { runToEnd } from './product.ts';

// Lighthouse is installed from npm on first use, and tests download nothing: .ci/run installs it before.

const hasLighthouse = isInstalled('lighthouse');
if (!hasLighthouse) process.stdout.write('[lighthouse] SKIPPED: npm run lighthouse -- --install brings it\n');

const resultSchema = z.object({
  lighthouse: z.object({ pages: z.array(z.object({ path: z.string(), scores: z.record(z.string(), z.number()) })) }),
});

test.skipIf(!hasLighthouse)(
  '[CFG-21] npm run lighthouse reports the scores of a page of the running product',
  async () => {
    const { code, output, stdout } = await runToEnd(['scripts/lighthouse.ts', '/plans'], {
      TMPDIR: process.env['TMPDIR'],
      CLIENTS_CACHE: process.env['CLIENTS_CACHE'],
    });
    const { lighthouse } = resultSchema.parse(JSON.parse(stdout.trim().split('\n').at(-1) ?? ''));
    expect(lighthouse.pages.map(({ path }) => path)).toEqual(['/plans']);
    // its speed counts on an otherwise idle machine
    const { performance, ...others } = lighthouse.pages[0]?.scores ?? {};
    expect(performance).toBeGreaterThan(0);
    expect(others, output).toEqual({ accessibility: 100, 'best-practices': 100, seo: 100 });
    expect(code).toBe((performance ?? 0) >= 95 ? 0 : 1);
  },
);
