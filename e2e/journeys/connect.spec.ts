import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, chooseAccount, signIn } from './sign-in.ts';

const callNotes = (page: Page, publicUrl: string) => callThroughLink(page, publicUrl, 'notes__list_tags');
const notesSwitch = (page: Page) => page.getByRole('switch', { name: 'Use Notes' });

test('[TOG-15] [TOG-16] [TOG-22] [TOG-23] a link from a conversation: sign in here, switch on, sign in there, call, disconnect', async ({
  page,
  product,
}) => {
  await page.goto('/connect/notes');
  await chooseAccount(page, 'connect@souk.test');
  await expect(accountMenu(page)).toBeVisible();
  await expect(page).toHaveURL(/\/connect\/notes$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Connect Notes' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Your account' })).toContainText('connect@souk.test');
  await expect(page.getByText('Not signed in', { exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  expect(await callNotes(page, product.publicUrl)).toContain(`${product.publicUrl}/connect/notes`);

  await notesSwitch(page).click();
  await expect(page.getByText('Its tools are not in your link.')).toBeVisible();
  expect(await callNotes(page, product.publicUrl)).toContain('Unknown tool');

  const opened = page.waitForEvent('popup');
  await notesSwitch(page).click();
  const popup = await opened;
  await popup.getByLabel('Your name').fill('Connie');
  await popup.getByRole('button', { name: 'Allow' }).click();
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
  await expect(page.getByText('Its tools are in your link.')).toBeVisible();
  expect(popup.isClosed() || (await popup.waitForEvent('close').then(() => true))).toBe(true);
  await expectNoAxeFindings(page);
  expect(await callNotes(page, product.publicUrl)).toContain('Your notes have no tags');

  await page.getByRole('button', { name: 'Disconnect' }).click();
  const question = page.getByRole('alertdialog', { name: 'Disconnect Notes?' });
  await question.getByRole('button', { name: 'Disconnect' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByText('Not signed in', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your connection' })).toBeFocused();
  expect(await callNotes(page, product.publicUrl)).toContain(`${product.publicUrl}/connect/notes`);
});

test('[TOG-18] a sign-in that the person refuses there says so here, on a phone, by keyboard alone', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/marketplace');
  await signIn(page, 'refuse@souk.test');
  await page.goto('/connect/notes');
  const button = page.getByRole('button', { name: 'Sign in to Notes' });
  await button.focus();
  const opened = page.waitForEvent('popup');
  await page.keyboard.press('Enter');
  const popup = await opened;
  await popup.getByRole('button', { name: 'Deny' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'You did not allow access to Notes.' })).toBeVisible();
  await expectNoAxeFindings(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test('where windows are blocked the page itself goes there, and comes back', async ({ page }) => {
  await page.goto('/marketplace');
  await signIn(page, 'blocked@souk.test');
  await page.addInitScript(() => {
    window.open = () => null;
  });
  await page.goto('/connect/notes');
  await page.getByRole('button', { name: 'Sign in to Notes' }).click();
  await page.getByLabel('Your name').fill('Blocked');
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page).toHaveURL(/\/connect\/notes$/);
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
});

test('an unknown service, a failing broker and a sign-in that is over have screens of their own', async ({ page }) => {
  await page.goto('/marketplace');
  await signIn(page, 'states@souk.test');
  await page.goto('/connect/nothing');
  await expect(page.getByRole('heading', { name: 'There is no service “nothing”' })).toBeVisible();
  await expectNoAxeFindings(page);
  await page.goto('/connect/travel');
  await expect(page.getByRole('heading', { name: 'No sign-in needed' })).toBeVisible();
  await page.route('**/upstream-connections', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.goto('/connect/notes');
  await expect(page.getByRole('alert').filter({ hasText: 'This service cannot be shown' })).toBeVisible();
  await expectNoAxeFindings(page);
  await page.unroute('**/upstream-connections');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('heading', { name: 'Connect Notes' })).toBeVisible();
  await page.goto('/connect/callback?state=made-up&code=made-up');
  await expect(
    page.getByRole('alert').filter({ hasText: 'This sign-in has expired or was used already' }),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/connect\/callback$/);
  await expectNoAxeFindings(page);
});
