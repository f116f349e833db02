import type { AdminUser } from '@souk/contract/admin-users.ts';
import type { Browser, Page } from '@playwright/test';
import { administrator, administratorCalls, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

// 'User Management' (specification part 2): what administrators see of people and do for them, and what these then have.

test.use({ reducedMotion: 'reduce' });

const openUsers = (page: Page, query = '') => openSignedIn(page, `/admin?tab=users${query}`, administrator);
const rowOf = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email });
const rows = (page: Page) => page.getByRole('table', { name: 'Users' }).getByRole('row');
const act = (page: Page, action: string, email: string) => page.getByRole('button', { name: `${action}: ${email}` });
const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
const warningOf = (page: Page, name: string) => page.getByRole('alertdialog', { name, exact: true });
const redBox = (page: Page) => page.getByRole('tabpanel').getByRole('alert');
const optionsOf = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).locator('option').allInnerTexts();

/** Opens a screen as another person, in a browser of their own. */
async function asPerson(browser: Browser, baseURL: string, email: string, path: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL })).newPage();
  await openSignedIn(page, path, email);
  return page;
}

/** Lets the page see the listed users with something changed. */
const changeUsers = (page: Page, change: (users: AdminUser[]) => AdminUser[]) =>
  routeNow(page, '**/admin/users?*', async (route) => {
    const response = await route.fetch();
    const answer = Object(await response.json());
    await route.fulfill({ response, json: { ...answer, users: change(answer.users) } });
  });

/** Bodies of calls that change something, as they are sent. */
function writesOf(page: Page): { call: string; body: unknown }[] {
  const writes: { call: string; body: unknown }[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'GET' || !pathname.startsWith('/admin/')) return;
    const call = `${request.method()} ${pathname.replaceAll(/[0-9a-f-]{36}/g, ':id')}`;
    writes.push({ call, body: request.postDataJSON() });
  });
  return writes;
}

test('[USR-1] [USR-2] [USR-7] [USR-8] users come in pages of 20; the search looks at the loaded page, and the broker at all', async ({
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
  await expect(page.getByRole('button', { name: 'Previous' })).toBeDisabled();
  expect(asked.map((url) => new URL(url).search)).toEqual(['?page=1&limit=20']);

  const search = page.getByRole('searchbox', { name: 'Search users on this page by email or username' });
  await search.fill('CROWD-21');
  await expect(rows(page)).toHaveCount(2);
  await expect(rowOf(page, 'crowd-21@souk.test')).toBeVisible();
  await expect(page).toHaveURL(/q=CROWD-21/);
  await search.fill('crowd-1@souk');
  await expect(page.getByText('No users on this page match your search.')).toBeVisible();
  expect(asked, 'nothing is asked for').toHaveLength(1);
  await page.getByRole('main').getByRole('button', { name: 'Search all users' }).first().click();
  await expect(rowOf(page, 'crowd-1@souk.test')).toBeVisible();
  await expect(page.getByText('1 user matches')).toBeVisible();
  await expect(page).toHaveURL(/all=crowd-1/);
  await page.getByRole('button', { name: 'Show all users again' }).click();

  await page.getByRole('button', { name: 'Next' }).click();
  await expect(page.getByText(`Showing page 2 of ${pagination.pages}`, { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/page=2/);
  await page.goBack();
  await expect(page.getByText(`Showing page 1 of ${pagination.pages}`, { exact: true })).toBeVisible();
  await page.getByLabel('Role').selectOption('Admin');
  await expect(rows(page)).toHaveCount(2);
  await expect(rowOf(page, administrator)).toBeVisible();
  await expectNoAxeFindings(page);
});

test('[USR-3] [USR-4] [USR-5] [USR-6] [USR-11] a row says who a user is, how they sign in, and what can be done', async ({
  page,
  product,
}) => {
  await newPerson(product.publicUrl, 'facts@souk.test');
  await changeUsers(page, (users) => {
    const [first] = users;
    if (!first) return users;
    const lastLoginAt = '2026-03-04T12:00:00.000Z';
    const named = { ...first, id: crypto.randomUUID(), email: 'ada@example.test', username: 'countess' };
    const one = {
      ...named,
      provider: 'github',
      role: 'admin' as const,
      isActive: false,
      createdAt: '2025-01-02T12:00:00.000Z',
    };
    const oauthConnections = { notes: { connected: true }, calendar: { connected: true }, gone: { connected: false } };
    return [
      { ...one, lastLoginAt, oauthConnections },
      { ...first, lastLoginAt: null },
    ];
  });
  await openUsers(page);
  const ada = rowOf(page, 'ada@example.test');
  await expect(ada.getByRole('rowheader')).toContainText('countess');
  const provider = ada.getByRole('cell').filter({ hasText: 'GitHub' });
  await expect(provider.locator('svg')).toBeVisible();
  await expect(ada.getByRole('cell', { name: 'Connected: notes, calendar' })).toHaveText(/NC$/);
  await expect(ada.getByRole('cell', { name: 'Admin', exact: true })).toBeVisible();
  await expect(ada.getByRole('cell', { name: 'Inactive', exact: true })).toBeVisible();
  await expect(ada).toContainText('Jan 2, 2025');
  await expect(ada).toContainText('Mar 4, 2026');
  const facts = rowOf(page, 'facts@souk.test');
  await expect(facts.getByRole('rowheader').getByRole('button')).toHaveText('facts');
  await expect(facts).toContainText(/Demo sign-in.*No OAuth.*User.*Active.*Never/s);
  for (const action of ['View details', 'Edit credits', 'Add subscription']) {
    await expect(act(page, action, 'facts@souk.test')).toBeEnabled();
  }
});

test('[USR-15] [USR-20] [USR-21] [USR-23] credits are set, also when the balance has moved meanwhile, and are there at once', async ({
  page,
  product,
  browser,
}) => {
  const id = await newPerson(product.publicUrl, 'credits@souk.test');
  const calls = await administratorCalls(product.publicUrl);
  const writes = writesOf(page);
  await openUsers(page);
  await act(page, 'Edit credits', 'credits@souk.test').click();
  const dialog = dialogOf(page, 'Edit credits');
  const field = dialog.getByLabel('Credits');
  await expect(dialog).toContainText('Balance now: 0 credits.');
  await field.fill('many');
  await expect(field).toHaveValue('0');
  await field.fill('-5');
  await dialog.getByRole('button', { name: 'Update credits' }).click();
  await expect(dialog).toContainText('The balance cannot be below 0.');
  await field.fill('25');
  await expect(dialog).toContainText('Adds 25 as a promotion.');
  await dialog.getByLabel('Reason (optional)').fill('For the talk');
  await dialog.getByRole('button', { name: 'Update credits' }).click();
  await expect(page.getByText('credits@souk.test now has 25 credits.')).toBeVisible();
  const call = 'PUT /admin/users/:id/credits';
  expect(writes).toEqual([{ call, body: { credits: 25, reason: 'For the talk', expectedBalance: 0 } }]);

  // another administrator was faster: nothing that was typed is lost
  await act(page, 'Edit credits', 'credits@souk.test').click();
  await expect(dialog).toContainText('Balance now: 25 credits.');
  await calls.setUserCredits({ params: { id }, body: { credits: 40 } });
  await field.fill('50');
  await dialog.getByRole('button', { name: 'Update credits' }).click();
  await expect(dialog).toContainText('The balance was 25 when you opened this, and is 40 now.');
  await expect(field).toHaveValue('50');
  await dialog.getByRole('button', { name: 'Update credits' }).click();
  await expect(dialog).toHaveCount(0);
  await act(page, 'View details', 'credits@souk.test').click();
  await expect(page.getByRole('dialog').getByRole('region', { name: 'Credits' })).toContainText(/50 credits\s*USD/);

  const person = await asPerson(browser, product.publicUrl, 'credits@souk.test', '/dashboard?tab=billing');
  await expect(person.getByRole('main')).toContainText(/50\s*credits/i);
  await person.context().close();
});

test('[USR-12] [USR-13] [USR-14] [USR-31] [USR-32] [USR-33] [USR-34] [USR-35] [USR-36] [USR-37] [USR-39] [USR-40] [USR-42] [USR-46] [USR-47] [USR-56] [USR-57] [ADM-13] [ADM-14] a plan, a rental and a purchase are given and removed, and that person has them at once', async ({
  page,
  product,
  browser,
}) => {
  const email = 'given@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const writes = writesOf(page);
  await openUsers(page);
  const add = dialogOf(page, 'Add subscription');
  const addButton = add.getByRole('button', { name: 'Add', exact: true });
  const service = add.getByRole('combobox', { name: 'Service' });
  const chooseService = async (text: string, name: string) => {
    await service.fill(text);
    await page
      .getByRole('option', { name: new RegExp(`^${name}`) })
      .first()
      .click();
  };
  await act(page, 'Add subscription', email).click();
  await expect(add.getByLabel('Type')).toHaveValue('subscription');
  await expect(add.getByLabel('Period')).toHaveValue('monthly');
  expect(await optionsOf(page, 'Period')).toEqual(['Monthly']);
  expect(await optionsOf(page, 'Type')).toEqual(['Subscription', 'Rental', 'Purchase']);
  await expect(service).toHaveCount(0);
  await expect(addButton).toBeDisabled();
  await add.getByLabel('Type').selectOption('Rental');
  expect(await optionsOf(page, 'Period')).toEqual(['Daily', 'Weekly', 'Monthly']);
  await expect(add.getByLabel('Plan')).toHaveCount(0);
  await service.fill('github');
  await expect(page.getByText('No service matches.'), 'it is staged, not deployed').toBeVisible();
  await chooseService('travel pro', 'Travel Pro');
  await expect(addButton).toBeEnabled();
  await add.getByLabel('Type').selectOption('Subscription');
  await add.getByLabel('Type').selectOption('Rental');
  await expect(service, 'cleared').toHaveValue('');
  await expect(addButton).toBeDisabled();
  await add.getByLabel('Type').selectOption('Subscription');
  await add.getByLabel('Plan').selectOption({ label: 'Pro (T2)' });
  await expectNoAxeFindings(page);
  await addButton.click();
  await expect(page.getByText(`${email} has the pro plan`)).toBeVisible();

  await act(page, 'Add subscription', email).click();
  await add.getByLabel('Type').selectOption('Rental');
  await add.getByLabel('Period').selectOption('Weekly');
  await chooseService('enterprise', 'Travel Enterprise');
  await add.getByLabel('Features (optional)').fill('Shown to friends');
  await add.getByLabel('Reason (optional)').fill('A friend of the house');
  await addButton.click();
  await expect(page.getByText(`${email} has Travel Enterprise until`)).toBeVisible();

  await act(page, 'Add subscription', email).click();
  await add.getByLabel('Type').selectOption('Purchase');
  await expect(add.getByLabel('Period')).toHaveCount(0);
  await chooseService('sequential', 'Sequential Thinking');
  await addButton.click();
  await expect(page.getByText(`${email} has Sequential Thinking for good.`)).toBeVisible();
  const given = 'POST /admin/users/:id/subscription';
  const features = ['Shown to friends'];
  const weekly = { type: 'rental', period: 'weekly', mcpId: 'travel-enterprise', features };
  expect(writes.splice(0)).toEqual([
    { call: given, body: { type: 'subscription', period: 'monthly', mcpId: 'pro', reason: '' } },
    { call: given, body: { ...weekly, reason: 'A friend of the house' } },
    { call: given, body: { type: 'purchase', mcpId: 'sequential-thinking', reason: '' } },
  ]);

  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=services');
  const cardOf = (name: string) =>
    person.getByRole('article').filter({ has: person.getByRole('heading', { name, exact: true }) });
  await expect(cardOf('Travel Enterprise')).toContainText('Rented - expires');
  await expect(cardOf('Sequential Thinking')).toContainText('Purchased');
  await expect(cardOf('Travel Pro')).toContainText(/Subscri/);

  // the details stand in the address, and open from anywhere
  await page.goto(`/admin?tab=users&page=2&user=${id}`);
  const details = page.getByRole('dialog').filter({ hasText: email });
  await expect(details).toContainText(id);
  await expect(details.getByText('Display name').locator('xpath=following-sibling::dd')).toHaveText('given');
  await expect(details.getByText('Created', { exact: true }).locator('xpath=following-sibling::dd')).toHaveText(
    /20\d\d$/,
  );
  for (const [label, count] of [
    ['Subscriptions', 1],
    ['Purchases', 1],
    ['Rentals', 1],
    ['Trials', 0],
  ] as const) {
    await expect(details.locator(`dt:text-is("${label}") + dd`)).toHaveText(String(count));
  }
  const subscriptions = details.getByRole('list', { name: 'Subscriptions' });
  await expect(subscriptions).toContainText(/Pro.*active.*20\d\d – .*20\d\d.*System subscription \(pro\)/s);
  const rentals = details.getByRole('list', { name: 'Rentals' });
  await expect(rentals).toContainText(/travel-enterprise.*active.*weekly.*20\d\d – .*20\d\d.*Shown to friends/s);
  await expectNoAxeFindings(page);

  await rentals.getByRole('button', { name: 'Remove' }).click();
  const remove = page.getByRole('alertdialog');
  await expect(remove.getByLabel('Reason')).toHaveValue('Rental cancelled by admin');
  await expect(remove.getByRole('checkbox', { name: /^Refund/ }), 'nothing was paid').toHaveCount(0);
  await remove.getByRole('button', { name: 'Cancel' }).click();
  await expect(remove).toHaveCount(0);
  expect(writes, 'not confirmed').toEqual([]);
  await rentals.getByRole('button', { name: 'Remove' }).click();
  await remove.getByRole('button', { name: 'Remove rental' }).click();
  await expect(rentals).toHaveCount(0);
  await subscriptions.getByRole('button', { name: 'Remove' }).click();
  await expect(remove.getByLabel('Reason')).toHaveValue('Removed by admin');
  await remove.getByLabel('Reason').fill('They asked for it');
  await remove.getByRole('button', { name: 'Remove subscription' }).click();
  await expect(subscriptions).toHaveCount(0);
  const removed = 'DELETE /admin/users/:id/subscription/:id';
  expect(writes).toEqual([
    { call: removed, body: { reason: 'Rental cancelled by admin', refund: 'none' } },
    { call: removed, body: { reason: 'They asked for it', refund: 'none' } },
  ]);
  await person.reload();
  await expect(cardOf('Travel Enterprise')).toContainText('Not Owned');
  await person.context().close();
});

test('[USR-50] [USR-51] [USR-52] [USR-53] [USR-54] [USR-55] what fails stands in a red box above the table, with its reason', async ({
  page,
  product,
}) => {
  const email = 'unlucky@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const calls = await administratorCalls(product.publicUrl);
  await calls.addUserSubscription({ params: { id }, body: { type: 'rental', mcpId: 'travel-pro' } });
  const message = 'The book is wet.';
  let heal = await failCalls(page, '**/admin/users?*', { message });
  await openUsers(page);
  await expect(redBox(page)).toContainText(`Failed to load users${message}`, { timeout: 30_000 });
  await heal();
  await redBox(page).getByRole('button', { name: 'Retry' }).click();
  await expect(redBox(page)).toHaveCount(0);

  const isAboveTable = async () => {
    const box = await redBox(page).boundingBox();
    const table = await page.getByRole('table', { name: 'Users' }).boundingBox();
    return box !== null && table !== null && box.y + box.height <= table.y;
  };
  heal = await failCalls(page, '**/admin/billing/users/*', { message });
  await act(page, 'View details', email).click();
  const open = page.getByRole('dialog');
  await expect(open.getByRole('alert')).toContainText('Failed to load user billing', { timeout: 30_000 });
  await page.keyboard.press('Escape');
  await expect(redBox(page)).toContainText(`Failed to load user billing${message}`);
  expect(await isAboveTable()).toBe(true);
  await heal();

  heal = await failCalls(page, '**/admin/users/*/credits', { message });
  await act(page, 'Edit credits', email).click();
  await open.getByRole('button', { name: 'Update credits' }).click();
  await expect(open.getByRole('alert')).toContainText(`Failed to update credits${message}`);
  await open.getByRole('button', { name: 'Cancel' }).click();
  await expect(redBox(page)).toContainText(`Failed to update credits${message}`);
  expect(await isAboveTable()).toBe(true);
  await page.getByRole('button', { name: 'Dismiss' }).click();
  await expect(redBox(page)).toHaveCount(0);
  await heal();

  heal = await failCalls(page, '**/admin/users/*/subscription', { message });
  await act(page, 'Add subscription', email).click();
  await open.getByLabel('Plan').selectOption({ label: 'Pro (T2)' });
  await open.getByRole('button', { name: 'Add', exact: true }).click();
  await expect(open.getByRole('alert')).toContainText(`Failed to add subscription${message}`);
  await open.getByRole('button', { name: 'Cancel' }).click();
  await expect(redBox(page)).toContainText(`Failed to add subscription${message}`);
  await heal();

  heal = await failCalls(page, '**/admin/users/*/subscription/*', { message });
  await act(page, 'View details', email).click();
  await open.getByRole('list', { name: 'Rentals' }).getByRole('button', { name: 'Remove' }).click();
  const remove = page.getByRole('alertdialog');
  await remove.getByRole('button', { name: 'Remove rental' }).click();
  await expect(remove.getByRole('alert')).toContainText(`Failed to remove subscription${message}`);
  await remove.getByRole('button', { name: 'Cancel' }).click();
  await page.keyboard.press('Escape');
  await expect(redBox(page).filter({ hasText: 'Failed to remove subscription' })).toContainText(message);
  await heal();
});

test('a user is deactivated, let in again and erased; each says what happens to whom', async ({
  page,
  product,
  browser,
}) => {
  const email = 'leaver@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const calls = await administratorCalls(product.publicUrl);
  await calls.addUserSubscription({ params: { id }, body: { type: 'rental', mcpId: 'travel-pro' } });
  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=profile');
  await openUsers(page, `&user=${id}`);
  const details = page.getByRole('dialog').filter({ hasText: id });
  await details.getByRole('button', { name: 'Deactivate user' }).click();
  const deactivate = warningOf(page, 'Deactivate user?');
  await expect(deactivate.getByRole('list', { name: 'What ends' })).toContainText('travel-pro (rental)');
  await expectNoAxeFindings(page);
  await deactivate.getByRole('button', { name: 'Deactivate user' }).click();
  await expect(details).toContainText('This user is deactivated');
  await person.reload();
  await expect(person.getByRole('banner').getByRole('button', { name: 'Sign In' })).toBeVisible();

  await details.getByRole('button', { name: 'Reactivate user' }).click();
  await dialogOf(page, 'Reactivate user?').getByRole('button', { name: 'Reactivate user' }).click();
  await expect(details.getByRole('button', { name: 'Deactivate user' })).toBeVisible();
  await openSignedIn(person, '/dashboard?tab=profile', email);

  await details.getByRole('button', { name: 'Erase user' }).click();
  const erase = warningOf(page, 'Erase user?');
  await erase.getByRole('button', { name: 'Erase user' }).click();
  await expect(erase).toContainText("This isn't the user's email.");
  await erase.getByLabel("User's email").fill(email.toUpperCase());
  await erase.getByRole('button', { name: 'Erase user' }).click();
  await expect(page.getByText('The account is erased.')).toBeVisible();
  await expect(rowOf(page, email)).toHaveCount(0);
  await person.reload();
  await expect(person.getByRole('banner').getByRole('button', { name: 'Sign In' })).toBeVisible();
  await person.context().close();
});

test('the table and its dialogs work by keyboard alone, and on a phone', async ({ page, product }) => {
  await newPerson(product.publicUrl, 'keys@souk.test');
  await openUsers(page);
  await act(page, 'Edit credits', 'keys@souk.test').focus();
  await page.keyboard.press('Enter');
  const dialog = dialogOf(page, 'Edit credits');
  await expect(dialog.getByLabel('Credits')).toBeVisible();
  await dialog.getByLabel('Credits').focus();
  await page.keyboard.press('Control+a');
  await page.keyboard.type('7');
  await page.keyboard.press('Enter');
  await expect(page.getByText('keys@souk.test now has 7 credits.')).toBeVisible();
  await expect(act(page, 'Edit credits', 'keys@souk.test')).toBeFocused();

  await page.setViewportSize({ width: 390, height: 844 });
  await expect(rowOf(page, 'keys@souk.test')).toContainText('Active');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  await expectNoAxeFindings(page);
});
