import { rm } from 'node:fs/promises';
import { test as base, type Page } from '@playwright/test';
import { startProduct, type Product } from '../product.ts';
import { untilAllConnected } from '../until-all-connected.ts';
import { administrator, secondAdministrator } from './administrator-calls.ts';

type Fixtures = { violations: string[] };
type WorkerFixtures = { product: Product; welcomes: boolean };

/** A test in a real browser against the whole product, started once. Every test fails on a violation of the CSP. */
export const test = base.extend<Fixtures, WorkerFixtures>({
  /** Whether new accounts get the demo's welcome credits. */
  welcomes: [false, { option: true, scope: 'worker' }],
  product: [
    async ({ welcomes }, use) => {
      // newcomers use none of the services that are programs
      const [programs, count] = welcomes ? [{ STDIO: 'off' }, 5] : [{}, undefined];
      // more sign-ins per minute than one address makes in practice
      const env = {
        SIGN_IN_PER_MINUTE: '1000',
        ADMIN_EMAILS: `${administrator},${secondAdministrator}`,
        ...programs,
      };
      const product = await startProduct({ welcomes, env });
      await untilAllConnected(product.publicUrl, count);
      await use(product);
      await product.kill('SIGTERM');
      await rm(product.dataDir, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  baseURL: async ({ product }, use) => use(product.publicUrl),
  violations: [
    async ({ page }, use) => {
      const violations: string[] = [];
      watchForViolations(page, violations);
      await use(violations);
      if (violations.length > 0) throw new Error(`content security policy:\n${violations.join('\n')}`);
    },
    { auto: true },
  ],
});
export { expect } from '@playwright/test';

function watchForViolations(page: Page, violations: string[]): void {
  page.on('console', (message) => {
    if (/content security policy/i.test(message.text())) violations.push(message.text());
  });
}
