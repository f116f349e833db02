import { expect, type Page } from '@playwright/test';
import { headingFaults, landmarkFaults, orderFaults, readTree, unnamedControls } from './accessibility-tree.ts';
import { consentAddress } from './consent-address.ts';
import { openScreen } from './open-screen.ts';
import { test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

const ofTheApp = ['banner', 'main', 'navigation', 'contentinfo'];
/** The broker's own pages, and those of the payment provider's stand-in, are intermediate steps. */
const ofAStep = ['banner', 'main'];

/** Returns the problems that a user of a screen reader would have with the page. */
async function readingFaults(page: Page, landmarks: readonly string[]): Promise<string[]> {
  await page.setViewportSize({ width: 390, height: 844 });
  const nodes = await readTree(page);
  expect(nodes.length, 'the tree was read').toBeGreaterThan(10);
  const { pathname, search } = new URL(page.url());
  const faults = [
    ...headingFaults(nodes),
    ...landmarkFaults(nodes, landmarks),
    ...unnamedControls(nodes),
    ...(await orderFaults(page)),
  ];
  return faults.map((fault) => `${pathname}${search.slice(0, 20)}: ${fault}`);
}

test('a screen reader reads the ten main screens in their visual order, with one title and named controls', async ({
  page,
  product,
}) => {
  const faults: string[] = [];
  const hear = async (landmarks: readonly string[] = ofTheApp) => {
    faults.push(...(await readingFaults(page, landmarks)));
  };
  for (const path of ['/', '/service/travel', '/plans']) {
    await openScreen(page, path);
    await hear();
  }
  await page.goto('/sign-in?return_to=%2F');
  await expect(page.getByRole('button', { name: /Continue with Google/ })).toBeVisible();
  await hear(ofAStep);
  await openSignedIn(page, '/', 'admin@souk.test');
  for (const path of [
    '/dashboard?tab=services',
    '/dashboard?tab=billing',
    '/dashboard?tab=usage',
    '/dashboard?tab=connections',
    '/admin',
    '/admin?tab=overview',
  ]) {
    await openScreen(page, path);
    await hear();
  }
  await page.goto(await consentAddress(product.publicUrl));
  await expect(page.getByRole('button', { name: 'Allow', exact: true })).toBeVisible();
  await hear(ofAStep);
  await openScreen(page, '/plans');
  await page.getByRole('button', { name: 'Buy credits in the Starter package', exact: true }).click();
  await expect(page.getByText('SANDBOX - no money moves.')).toBeVisible();
  await hear(ofAStep);
  expect(faults).toEqual([]);
});

test('the effect of a click is announced in a live region', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  const isSaid = (text: string | RegExp) =>
    expect(
      page.locator('[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]').filter({ hasText: text }),
    ).not.toHaveCount(0);
  await openScreen(page, '/');
  await page
    .getByRole('button', { name: /^Copy .*link/ })
    .first()
    .click();
  await isSaid(/copied/i);
  await openScreen(page, '/marketplace');
  await page.getByRole('searchbox').fill('travel');
  await isSaid(/^Showing 3 of \d+ servers$/);
});
