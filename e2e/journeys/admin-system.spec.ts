import type { Page } from '@playwright/test';
import { administrator } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

// The tab 'System': the state of this installation, and the active configuration.

test.use({ reducedMotion: 'reduce' });

const openSystem = (page: Page, query = '') => openSignedIn(page, `/admin?tab=system${query}`, administrator);
const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true });
const rowOf = (page: Page, name: string, text: string) => table(page, name).getByRole('row').filter({ hasText: text });

test('the system says why it cannot be read, then what runs, what needs attention, its brokers and jobs, and what is configured', async ({
  page,
}) => {
  const heal = await failCalls(page, '**/admin/system', { message: 'The machine is wet.' });
  await openSystem(page);
  const alert = page.getByRole('tabpanel').getByRole('alert');
  await expect(alert).toContainText('Failed to load the system');
  await expect(alert).toContainText('The machine is wet.');
  await heal();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  const warnings = page.getByRole('list', { name: 'Warnings', exact: true });
  await expect(warnings).toContainText('Payments are a demo: no money moves.');
  await expect(warnings).toContainText('Sign-in is a demo');
  await expect(warnings).toContainText('The master key is the file');
  await expect(warnings).toContainText('a single broker with an embedded database');
  const facts = page.getByRole('region', { name: 'Installation', exact: true });
  await expect(facts).toContainText(/Version1\.0\.0.*Node\.js24\..*Embedded \(PGlite\).*none waiting/s);
  await expect(facts).toContainText('/api/webhooks/stripe');
  await expect(facts).toContainText('AutomaticOff: set BACKUP_DIR');
  await expect(table(page, 'Brokers on this database').getByRole('row')).toHaveCount(2);
  await expect(rowOf(page, 'Brokers on this database', 'answered this page')).toContainText('Alive');
  await expect(rowOf(page, 'Scheduled jobs', 'ledger-check')).toContainText('every hour');
  await expect(rowOf(page, 'Variables in force', 'SIGN_IN_PER_MINUTE')).toContainText(/1000\s+Environment/, {
    useInnerText: true,
  });
  await expect(rowOf(page, 'Variables in force', 'MASTER_KEY')).toContainText(/Set, hidden.*master\.key/);
  await expect(rowOf(page, 'Variables in force', 'STRIPE_SECRET_KEY')).toHaveCount(0);
  await page.getByLabel('Variables', { exact: true }).selectOption('All, with defaults');
  await expect(page).toHaveURL(/group=all/);
  await expect(rowOf(page, 'Variables in force', 'STRIPE_SECRET_KEY')).toContainText(/Not set.*Default/);
  await expectNoAxeFindings(page);
  await page.getByRole('searchbox', { name: 'Search the configuration', exact: true }).fill('per_minute');
  await expect(table(page, 'Variables in force').getByRole('row')).toHaveCount(7);
  await expect(page).toHaveURL(/q=per_minute/);
  await page.reload();
  await expect(table(page, 'Variables in force').getByRole('row')).toHaveCount(7);
  await page.getByRole('searchbox').fill('zeppelin');
  await expect(page.getByText('No variable matches this search.')).toBeVisible();
  await page.setViewportSize({ width: 390, height: 844 });
  await page.getByRole('searchbox').fill('');
  await expect(rowOf(page, 'Variables in force', 'SIGN_IN_PER_MINUTE')).toContainText('1000 · Environment', {
    useInnerText: true,
  });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await expectNoAxeFindings(page);
});

test("the checks of the operator's commands run on demand, by keyboard too", async ({ page }) => {
  test.slow();
  await openSystem(page);
  await page.getByRole('button', { name: 'Run checks', exact: true }).focus();
  await page.keyboard.press('Enter');
  const checks = page.getByRole('list', { name: 'Checks', exact: true });
  await expect(checks).toContainText('The configuration is valid');
  await expect(checks).toContainText('Passed');
  expect(await checks.getByRole('listitem').count()).toBeGreaterThan(5);
  await expect(page.getByText('No fault found.', { exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
});
