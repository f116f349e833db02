import type { Page } from '@playwright/test';
import { administratorCalls, erasePerson, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { holdCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { startShopOfMany } from './shop-of-many.ts';
import { act, asPerson, dialogOf, openUsers, writesOf } from './users-page.ts';

// What administrators give to a user and take from them, credits too, and what that user then has.

test.use({ reducedMotion: 'reduce' });

const optionsOf = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).locator('option').allInnerTexts();

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
  // Enter shows the 0 that took the place of what was typed, and sends nothing
  await field.fill('');
  await field.pressSequentially('12abc');
  await field.press('Enter');
  await expect(dialog).toContainText('That is not a number, so it became 0. Press Enter again to set 0.');
  await expect(field).toHaveValue('0');
  expect(writes).toEqual([]);
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
  await erasePerson(product.publicUrl, id, 'credits@souk.test');
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
  await expect(add.getByLabel('Period')).toHaveValue('monthly');
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
  await erasePerson(product.publicUrl, id, email);
});

test('the service selector takes only a service that fits what was typed, also while the broker still searches', async ({
  page,
  product,
}) => {
  const email = 'selected@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const writes = writesOf(page);
  await openUsers(page);
  await act(page, 'Add subscription', email).click();
  const add = dialogOf(page, 'Add subscription');
  const addButton = add.getByRole('button', { name: 'Add', exact: true });
  const service = add.getByRole('combobox', { name: 'Service' });
  await add.getByLabel('Type').selectOption('Rental');
  await service.click();
  await expect(page.getByRole('option')).toHaveCount(9);

  const release = await holdCalls(page, '**/api/catalogue/servers?*q=github*');
  await service.fill('github');
  await expect(page.getByText('Searching…')).toBeVisible();
  await expect(page.getByRole('option'), 'of the list before nothing fits').toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(service, 'nothing is taken').toHaveValue('');
  await expect(addButton).toBeDisabled();
  release();
  await service.fill('github');
  await expect(page.getByText('No service matches.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(service).toHaveValue('');
  await expect(addButton).toBeDisabled();

  const releaseNext = await holdCalls(page, '**/api/catalogue/servers?*q=enterprise*');
  await service.click();
  await expect(page.getByRole('option'), 'the list begins anew').toHaveCount(9);
  await service.fill('enterprise');
  await expect(page.getByRole('option'), 'fits whatever the broker answers').toHaveText([/^Travel Enterprise/]);
  await page.keyboard.press('Enter');
  await expect(service).toHaveValue('Travel Enterprise');
  await expect(addButton).toBeEnabled();
  releaseNext();

  // typed on: it is no longer what was chosen, and the form is not sent with it
  await service.focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' of nobody');
  await expect(service).toHaveValue('Travel Enterprise of nobody');
  await expect(page.getByText('No service matches.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(service).toHaveValue('');
  await expect(addButton).toBeDisabled();
  expect(writes).toEqual([]);
  await erasePerson(product.publicUrl, id, email);
});

test('the service selector finds one of 5,000 services by a few letters, and draws 20 at once', async ({
  page,
  product,
}) => {
  const id = await newPerson(product.publicUrl, 'many@souk.test');
  const shop = await startShopOfMany();
  // the catalogue's own search, over 5,000 servers
  await routeNow(page, '**/api/catalogue/servers?*', async (route) => {
    const { search } = new URL(route.request().url());
    await route.fulfill({ response: await route.fetch({ url: `${shop.url}/api/catalogue/servers${search}` }) });
  });
  await openUsers(page);
  await act(page, 'Add subscription', 'many@souk.test').click();
  const add = dialogOf(page, 'Add subscription');
  await add.getByLabel('Type').selectOption('Rental');
  const service = add.getByRole('combobox', { name: 'Service' });
  await service.click();
  await expect(page.getByRole('option')).toHaveCount(20);
  await expect(page.getByText('20 of 5,000. Type to find more.')).toBeVisible();
  await service.fill('4999');
  await expect(page.getByRole('option')).toHaveCount(1);
  await page.keyboard.press('Enter');
  await expect(service).toHaveValue(/ 4999$/);
  await expect(add.getByRole('button', { name: 'Add', exact: true })).toBeEnabled();
  await shop.stop();
  await erasePerson(product.publicUrl, id, 'many@souk.test');
});
