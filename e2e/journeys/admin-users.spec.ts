import type { AdminUser } from '@souk/contract/admin/users.ts';
import type { Page } from '@playwright/test';
import { administrator, administratorCalls, erasePerson, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { chooseAccount } from './sign-in.ts';
import { act, dialogOf, openUsers, rowOf } from './users-page.ts';

// 'User Management' (specification part 2): the table of users, and where it reports failures.

test.use({ reducedMotion: 'reduce' });

const rows = (page: Page) => page.getByRole('table', { name: 'Users', exact: true }).getByRole('row');
const redBox = (page: Page) => page.getByRole('tabpanel').getByRole('alert');

/** Changes the listed users, and their counts, that the page sees. */
const changeUsers = (page: Page, change: (users: AdminUser[]) => AdminUser[], counts: object = {}) =>
  routeNow(page, '**/admin/users?*', async (route) => {
    const response = await route.fetch();
    const answer = Object(await response.json());
    await route.fulfill({ response, json: { ...answer, ...counts, users: change(answer.users) } });
  });

test("[USR-1] [USR-2] [USR-7] [USR-8] users come in pages of 20; the search covers addresses and user names of the loaded page, and the broker's covers all", async ({
  page,
  product,
}) => {
  for (let number = 1; number <= 21; number += 1) await newPerson(product.publicUrl, `crowd-${number}@souk.test`);
  const calls = await administratorCalls(product.publicUrl);
  const asked: string[] = [];
  page.on('request', (request) => void (request.url().includes('/admin/users?') && asked.push(request.url())));
  await openUsers(page);
  await expect(rows(page)).toHaveCount(21);
  const { all, active, pagination } = await calls.listUsers({ query: {} });
  await expect(page.getByText(`${all} users total • ${active} active`, { exact: true })).toBeVisible();
  await expect(page.getByText(`Showing page 1 of ${pagination.pages}`, { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Previous', exact: true })).toBeDisabled();
  expect(asked.map((url) => new URL(url).search)).toEqual(['?page=1&limit=20']);

  const search = page.getByRole('searchbox', { name: 'Search users on this page by email or username', exact: true });
  await search.fill('CROWD-21');
  await expect(rows(page)).toHaveCount(2);
  await expect(rowOf(page, 'crowd-21@souk.test')).toBeVisible();
  await expect(page).toHaveURL(/q=CROWD-21/);
  await search.fill('crowd-1@souk');
  await expect(page.getByText('No users on this page match your search.')).toBeVisible();
  expect(asked, 'nothing is requested').toHaveLength(1);
  await page.getByRole('main').getByRole('button', { name: 'Search all users', exact: true }).first().click();
  await expect(rowOf(page, 'crowd-1@souk.test')).toBeVisible();
  await expect(page.getByText('1 user matches')).toBeVisible();
  await expect(page).toHaveURL(/all=crowd-1/);
  await page.getByRole('button', { name: 'Show all users again', exact: true }).click();

  await page.getByRole('button', { name: 'Next', exact: true }).click();
  await expect(page.getByText(`Showing page 2 of ${pagination.pages}`, { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/page=2/);
  await page.goBack();
  await expect(page.getByText(`Showing page 1 of ${pagination.pages}`, { exact: true })).toBeVisible();
  await page.goto('/admin?tab=users&page=99');
  await page.getByRole('main').getByText('This page is past the last one.').waitFor();
  await page.getByRole('button', { name: 'First page', exact: true }).click();
  await expect(page.getByText(`Showing page 1 of ${pagination.pages}`, { exact: true })).toBeVisible();
  await page.getByLabel('Role').selectOption('Admin');
  await expect(rows(page)).toHaveCount(2);
  await expect(rowOf(page, administrator)).toBeVisible();
  await expectNoAxeFindings(page);

  // no account of the demo has a user name; the display name is not searched
  await changeUsers(
    page,
    ([first]) => {
      if (!first) return [];
      const named = (email: string, username: string | null, displayName: string) => ({
        ...first,
        id: crypto.randomUUID(),
        email,
        username,
        displayName,
      });
      return [
        named('ada@example.test', 'Countess', 'Lovelace of Souk'),
        named('grace@navy.test', null, 'Countess in Name Only'),
        named('linus@example.test', 'penguin', 'Ada Grace'),
      ];
    },
    { all: 1, active: 0 },
  );
  await page.goto('/admin?tab=users');
  await expect(page.getByText('1 user total • 0 active', { exact: true })).toBeVisible();
  await expect(rows(page)).toHaveCount(4);
  const found = async (text: string, emails: readonly string[]) => {
    await search.fill(text);
    await expect(rows(page), text).toHaveCount(emails.length + 1);
    for (const email of emails) await expect(rowOf(page, email), text).toBeVisible();
  };
  await found('COUNTESS', ['ada@example.test']);
  await found('NAVY.test', ['grace@navy.test']);
  await found('@example', ['ada@example.test', 'linus@example.test']);
  await search.fill('lovelace');
  await expect(page.getByText('No users on this page match your search.')).toBeVisible();
});

test('[USR-3] [USR-4] [USR-5] [USR-6] a row identifies a user, also by a display name, and shows how they sign in', async ({
  page,
  product,
}) => {
  await newPerson(product.publicUrl, 'facts@souk.test');
  await changeUsers(page, ([first]) => {
    if (!first) return [];
    const named = { ...first, id: crypto.randomUUID(), email: 'ada@example.test', username: 'countess' };
    const admin = { provider: 'github', role: 'admin' as const, isActive: false };
    const dates = { createdAt: '2025-01-02T12:00:00.000Z', lastLoginAt: '2026-03-04T12:00:00.000Z' };
    const oauthConnections = { notes: { connected: true }, calendar: { connected: true }, gone: { connected: false } };
    const plain = { ...first, id: crypto.randomUUID(), email: 'plain@souk.test', displayName: 'Bea Baker' };
    return [
      { ...named, ...admin, ...dates, oauthConnections },
      { ...first, email: 'facts@souk.test', username: null, displayName: '', lastLoginAt: null },
      { ...plain, username: null },
    ];
  });
  await openUsers(page);
  const ada = rowOf(page, 'ada@example.test');
  await expect(ada.getByRole('rowheader')).toContainText('countess');
  const provider = ada.getByRole('cell').filter({ hasText: 'GitHub' });
  await expect(provider.locator('svg')).toBeVisible();
  await expect(ada.getByRole('cell', { name: 'Connected: notes, calendar', exact: true })).toHaveText(/NC$/);
  await expect(ada.getByRole('cell', { name: 'Admin', exact: true })).toBeVisible();
  await expect(ada.getByRole('cell', { name: 'Inactive', exact: true })).toBeVisible();
  await expect(ada).toContainText('Jan 2, 2025');
  await expect(ada).toContainText('Mar 4, 2026');
  const facts = rowOf(page, 'facts@souk.test');
  await expect(facts.getByRole('rowheader')).toHaveText(/^facts\s*facts@souk\.test/);
  await expect(facts).toContainText(/Demo sign-in.*No OAuth.*User.*Active.*Never/s);
  await expect(rowOf(page, 'plain@souk.test').getByRole('rowheader')).toHaveText(
    /^plain\s*Bea Baker\s*plain@souk\.test/,
  );
  // at 1280 px with all its columns and actions in view
  const box = page.getByRole('region', { name: 'Users', exact: true });
  expect(await box.evaluate((of) => of.scrollWidth - of.clientWidth)).toBe(0);
});

test('[USR-11] [USR-36] a row has the actions on a user, by keyboard only and on a phone too; a plan by the month is offered first', async ({
  page,
  product,
}) => {
  const email = 'keys@souk.test';
  await newPerson(product.publicUrl, email);
  await openUsers(page);
  for (const action of ['View details', 'Edit credits', 'Add subscription'])
    await expect(act(page, action, email)).toBeEnabled();
  await act(page, 'Edit credits', email).focus();
  await page.keyboard.press('Enter');
  const dialog = dialogOf(page, 'Edit credits');
  await dialog.getByLabel('Credits').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await expect(page.getByText(`${email} now has 7 credits.`)).toBeVisible();
  await expect(act(page, 'Edit credits', email)).toBeFocused();
  await act(page, 'Add subscription', email).press('Enter');
  await expect(openDialog(page).getByLabel('Type')).toHaveValue('subscription');
  await expect(openDialog(page).getByLabel('Period')).toHaveValue('monthly');
  await page.keyboard.press('Escape');
  await expect(openDialog(page)).toHaveCount(0);

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(rowOf(page, email)).toContainText('Active');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await expectNoAxeFindings(page);
});

const message = 'The book is wet.';
const openDialog = (page: Page) => page.getByRole('dialog');

/** Expects the color of failures, above the rows that are still there. */
async function expectAboveTable(page: Page): Promise<void> {
  const colours = await redBox(page).evaluate((shown) => {
    const probe = shown.ownerDocument.createElement('div');
    probe.style.background = 'var(--color-bad-soft)';
    shown.append(probe);
    const wanted = getComputedStyle(probe).backgroundColor;
    probe.remove();
    return { shown: getComputedStyle(shown).backgroundColor, wanted };
  });
  expect(colours.shown).toBe(colours.wanted);
  expect(colours.shown).not.toBe('rgba(0, 0, 0, 0)');
  const box = await redBox(page).boundingBox();
  const table = await page.getByRole('table', { name: 'Users', exact: true }).boundingBox();
  expect((box?.y ?? 0) + (box?.height ?? Infinity)).toBeLessThanOrEqual(table?.y ?? 0);
}

test('[USR-50] [USR-51] [USR-52] a failure to load is in a red box above the table, with its reason, and the previous data stays below', async ({
  page,
  product,
}) => {
  const email = 'unread@souk.test';
  await newPerson(product.publicUrl, email);
  let heal = await failCalls(page, '**/admin/users?*', { message });
  const retry = redBox(page).getByRole('button', { name: 'Retry', exact: true });
  await openUsers(page);
  await expect(redBox(page)).toContainText(`Failed to load users${message}`);
  await heal();
  await retry.click();
  await expect(redBox(page)).toHaveCount(0);

  // the list is read again after a change
  heal = await failCalls(page, '**/admin/users?*', { message });
  await act(page, 'Edit credits', email).click();
  await openDialog(page).getByRole('button', { name: 'Update credits', exact: true }).click();
  await expect(redBox(page)).toContainText(`Failed to load users${message}`);
  await expect(openDialog(page)).toHaveCount(0);
  await expect(rowOf(page, email)).toBeVisible();
  await expectAboveTable(page);
  await heal();
  await retry.click();
  await expect(redBox(page)).toHaveCount(0);
  await expect(rowOf(page, email)).toBeVisible();

  await failCalls(page, '**/admin/billing/users/*', { message });
  await act(page, 'View details', email).click();
  await expect(openDialog(page).getByRole('alert')).toContainText('Failed to load user billing');
  await page.keyboard.press('Escape');
  await expect(redBox(page)).toHaveText(`Failed to load user billing${message}User: ${email}`);
});

test('[USR-53] [USR-54] [USR-55] a failed change is reported in its dialog, and stays in the red box above the table', async ({
  page,
  product,
}) => {
  const email = 'unlucky@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const calls = await administratorCalls(product.publicUrl);
  await calls.addUserSubscription({ params: { id }, body: { type: 'rental', mcpId: 'travel-pro' } });
  await openUsers(page);
  const open = openDialog(page);
  let heal = await failCalls(page, '**/admin/users/*/credits', { message });
  await act(page, 'Edit credits', email).click();
  await open.getByRole('button', { name: 'Update credits', exact: true }).click();
  await expect(open.getByRole('alert')).toContainText(`Failed to update credits${message}`);
  await open.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(redBox(page)).toHaveText(`Failed to update credits${message}User: ${email}`);
  await expectAboveTable(page);
  await page.getByRole('button', { name: 'Dismiss', exact: true }).click();
  await expect(redBox(page)).toHaveCount(0);
  await heal();

  heal = await failCalls(page, '**/admin/users/*/subscription', { message });
  await act(page, 'Add subscription', email).click();
  await open.getByLabel('Plan').selectOption({ label: 'Pro (T2)' });
  await open.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(open.getByRole('alert')).toContainText(`Failed to add subscription${message}`);
  await open.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(redBox(page)).toContainText(`Failed to add subscription${message}`);
  await heal();

  heal = await failCalls(page, '**/admin/users/*/subscription/*', { message });
  await act(page, 'View details', email).click();
  await open
    .getByRole('list', { name: 'Rentals', exact: true })
    .getByRole('button', { name: 'Remove Travel Pro', exact: true })
    .click();
  const remove = page.getByRole('alertdialog');
  await remove.getByRole('button', { name: 'Remove rental', exact: true }).click();
  await expect(remove.getByRole('alert')).toContainText(`Failed to remove subscription${message}`);
  await remove.getByRole('button', { name: 'Cancel', exact: true }).click();
  await page.keyboard.press('Escape');
  await expect(redBox(page), 'one box, the newest').toHaveText(`Failed to remove subscription${message}User: ${email}`);
  await heal();
  await erasePerson(product.publicUrl, id, email);
});

test('a session that ends closes the dialog but keeps the typed text: one button signs in again, and the text is there', async ({
  page,
  product,
}) => {
  const email = 'typed-about@souk.test';
  const id = await newPerson(product.publicUrl, email);
  await openUsers(page);
  await act(page, 'Edit credits', email).click();
  const dialog = dialogOf(page, 'Edit credits');
  await dialog.getByLabel('Credits').fill('77');
  await dialog.getByLabel('Reason (optional)').fill('A long story');
  await page.evaluate(async () => {
    const { accessToken } = JSON.parse(localStorage.getItem('souk.tokens') ?? '{}');
    await fetch('/auth/sign-out-everywhere', { method: 'POST', headers: { authorization: `Bearer ${accessToken}` } });
  });
  await dialog.getByRole('button', { name: 'Update credits', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Access Denied', exact: true })).toBeVisible();
  await expect(page.getByRole('main').getByRole('button', { name: /sign in/i })).toHaveText(['Sign in again']);
  await expectNoAxeFindings(page);
  await page.getByRole('button', { name: 'Sign in again', exact: true }).click();
  await chooseAccount(page, administrator);
  await expect(rowOf(page, email)).toBeVisible();
  await act(page, 'Edit credits', email).click();
  await expect(dialog.getByLabel('Credits')).toHaveValue('77');
  await expect(dialog.getByLabel('Reason (optional)')).toHaveValue('A long story');
  // closing it discards the typed text
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await act(page, 'Edit credits', email).click();
  await expect(dialog.getByLabel('Credits')).toHaveValue('0');
  await expect(dialog.getByLabel('Reason (optional)')).toHaveValue('');
  await erasePerson(product.publicUrl, id, email);
});
