import type { Page } from '@playwright/test';
import { administratorCalls, erasePerson, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { holdCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { startShopOfMany } from './shop-of-many.ts';
import { cardOf } from './shop-page.ts';
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
  await dialog.getByRole('button', { name: 'Update credits', exact: true }).click();
  await expect(dialog).toContainText('The balance cannot be below 0.');
  await field.fill('25');
  await expect(dialog).toContainText('Adds 25 as a promotion.');
  await dialog.getByLabel('Reason (optional)').fill('For the talk');
  await dialog.getByRole('button', { name: 'Update credits', exact: true }).click();
  await expect(page.getByText('credits@souk.test now has 25 credits.')).toBeVisible();
  const call = 'PUT /admin/users/:id/credits';
  expect(writes).toEqual([{ call, body: { credits: 25, reason: 'For the talk', expectedBalance: 0 } }]);

  // another administrator was faster: nothing that was typed is lost
  await act(page, 'Edit credits', 'credits@souk.test').click();
  await expect(dialog).toContainText('Balance now: 25 credits.');
  await calls.setUserCredits({ params: { id }, body: { credits: 40 } });
  await field.fill('50');
  await dialog.getByRole('button', { name: 'Update credits', exact: true }).click();
  await expect(dialog).toContainText('The balance was 25 when you opened this, and is 40 now.');
  await expect(field).toHaveValue('50');
  await dialog.getByRole('button', { name: 'Update credits', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await act(page, 'View details', 'credits@souk.test').click();
  await expect(page.getByRole('dialog').getByRole('region', { name: 'Credits', exact: true })).toContainText(
    /50 credits\s*USD/,
  );

  const person = await asPerson(browser, product.publicUrl, 'credits@souk.test', '/dashboard?tab=billing');
  await expect(person.getByRole('main')).toContainText(/50\s*credits/i);
  await person.context().close();
  await erasePerson(product.publicUrl, id, 'credits@souk.test');
});

const addOf = (page: Page) => dialogOf(page, 'Add subscription');
const addButton = (page: Page) => addOf(page).getByRole('button', { name: 'Add', exact: true });
const serviceOf = (page: Page) => addOf(page).getByRole('combobox', { name: 'Service', exact: true });

async function chooseService(page: Page, text: string, name: string): Promise<void> {
  await serviceOf(page).fill(text);
  await page
    .getByRole('option', { name: new RegExp(`^${name}`), exact: true })
    .first()
    .click();
}

test('[USR-32] [USR-34] [USR-35] [USR-36] a plan is given by the month, a rental of a service also by the day and the week', async ({
  page,
  product,
}) => {
  const email = 'offered@souk.test';
  await newPerson(product.publicUrl, email);
  await openUsers(page);
  await act(page, 'Add subscription', email).click();
  const add = addOf(page);
  await expect(add.getByLabel('Type')).toHaveValue('subscription');
  await expect(add.getByLabel('Period')).toHaveValue('monthly');
  expect(await optionsOf(page, 'Period')).toEqual(['Monthly']);
  expect(await optionsOf(page, 'Type')).toEqual(['Subscription', 'Rental', 'Purchase']);
  await expect(serviceOf(page)).toHaveCount(0);
  await add.getByLabel('Type').selectOption('Rental');
  expect(await optionsOf(page, 'Period')).toEqual(['Daily', 'Weekly', 'Monthly']);
  await expect(add.getByLabel('Period')).toHaveValue('monthly');
  await expect(add.getByLabel('Plan')).toHaveCount(0);
  await expect(serviceOf(page)).toBeVisible();
});

test('[USR-33] [USR-37] [USR-42] what is not chosen cannot be added; a service is one that is deployed, and another type clears it', async ({
  page,
  product,
}) => {
  const email = 'chosen@souk.test';
  await newPerson(product.publicUrl, email);
  await openUsers(page);
  await act(page, 'Add subscription', email).click();
  const type = addOf(page).getByLabel('Type');
  await expect(addButton(page)).toBeDisabled();
  await type.selectOption('Rental');
  await serviceOf(page).fill('github');
  await expect(page.getByText('No service matches.'), 'it is staged, not deployed').toBeVisible();
  await chooseService(page, 'travel pro', 'Travel Pro');
  await expect(addButton(page)).toBeEnabled();
  await type.selectOption('Subscription');
  await type.selectOption('Rental');
  await expect(serviceOf(page), 'cleared').toHaveValue('');
  await expect(addButton(page)).toBeDisabled();
});

test('[USR-31] [USR-39] [USR-40] [USR-56] a plan, a rental and a purchase are given, and that person has them at once', async ({
  page,
  product,
  browser,
}) => {
  const email = 'given@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const writes = writesOf(page);
  await openUsers(page);
  const add = addOf(page);
  await act(page, 'Add subscription', email).click();
  await add.getByLabel('Plan').selectOption({ label: 'Pro (T2)' });
  await expectNoAxeFindings(page);
  await addButton(page).click();
  await expect(page.getByText(`${email} has the pro plan`)).toBeVisible();

  await act(page, 'Add subscription', email).click();
  await add.getByLabel('Type').selectOption('Rental');
  await add.getByLabel('Period').selectOption('Weekly');
  await chooseService(page, 'enterprise', 'Travel Enterprise');
  await add.getByLabel('Features (optional)').fill('Shown to friends');
  await add.getByLabel('Reason (optional)').fill('A friend of the house');
  await addButton(page).click();
  await expect(page.getByText(`${email} has Travel Enterprise until`)).toBeVisible();

  await act(page, 'Add subscription', email).click();
  await add.getByLabel('Type').selectOption('Purchase');
  await expect(add.getByLabel('Period')).toHaveCount(0);
  await chooseService(page, 'sequential', 'Sequential Thinking');
  await addButton(page).click();
  await expect(page.getByText(`${email} has Sequential Thinking for good.`)).toBeVisible();
  const given = 'POST /admin/users/:id/subscription';
  const features = ['Shown to friends'];
  const weekly = { type: 'rental', period: 'weekly', mcpId: 'travel-enterprise', features };
  expect(writes).toEqual([
    { call: given, body: { type: 'subscription', period: 'monthly', mcpId: 'pro', reason: '' } },
    { call: given, body: { ...weekly, reason: 'A friend of the house' } },
    { call: given, body: { type: 'purchase', mcpId: 'sequential-thinking', reason: '' } },
  ]);

  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=services');
  await expect(cardOf(person, 'Travel Enterprise')).toContainText('Rented - expires');
  await expect(cardOf(person, 'Sequential Thinking')).toContainText('Purchased');
  await expect(cardOf(person, 'Travel Pro')).toContainText(/Subscri/);
  await person.context().close();
  await erasePerson(product.publicUrl, id, email);
});

/** A person who was given a plan, a rental and a purchase. @returns their id */
async function newOwner(publicUrl: string, email: string): Promise<string> {
  const id = await newPerson(publicUrl, email);
  const calls = await administratorCalls(publicUrl);
  const features = ['Shown to friends'];
  for (const body of [
    { type: 'subscription', mcpId: 'pro' },
    { type: 'rental', period: 'weekly', mcpId: 'travel-enterprise', features },
    { type: 'purchase', mcpId: 'sequential-thinking' },
  ] as const)
    await calls.addUserSubscription({ params: { id }, body });
  return id;
}

const detailsOf = (page: Page, email: string) => page.getByRole('dialog').filter({ hasText: email });
const listOf = (page: Page, email: string, name: string) =>
  detailsOf(page, email).getByRole('list', { name, exact: true });

test('[USR-13] the details of a user count subscriptions, purchases, rentals and trials, each its own', async ({
  page,
  product,
}) => {
  const email = 'counted@souk.test';
  const id = await newOwner(product.publicUrl, email);
  await routeNow(page, '**/admin/billing/users/*', async (route) => {
    const response = await route.fetch();
    const answer = Object(await response.json());
    const { subscriptions, purchases, rentals } = answer.billing;
    const times = (one: object, count: number) =>
      Array.from({ length: count }, () => ({ ...one, id: crypto.randomUUID() }));
    const billing = {
      ...answer.billing,
      subscriptions: times(subscriptions[0], 3),
      purchases: times(purchases[0], 1),
      rentals: times(rentals[0], 4),
      trials: times({ ...rentals[0], type: 'trial', source: 'person' }, 2),
    };
    await route.fulfill({ response, json: { ...answer, billing } });
  });
  await openUsers(page, `&user=${id}`);
  const factOf = (name: string) => detailsOf(page, email).locator(`dt:text-is("${name}") + dd`);
  for (const [label, count] of Object.entries({ Subscriptions: 3, Purchases: 1, Rentals: 4, Trials: 2 })) {
    await expect(factOf(label), label).toHaveText(String(count));
    await expect(listOf(page, email, label).locator('> li')).toHaveCount(count);
  }
  await erasePerson(product.publicUrl, id, email);
});

test('[USR-12] [USR-14] the details of a user stand in the address, and say who they are and what they have', async ({
  page,
  product,
}) => {
  const email = 'detailed@souk.test';
  const id = await newOwner(product.publicUrl, email);
  await openUsers(page, `&page=2&user=${id}`);
  const details = detailsOf(page, email);
  await expect(details).toContainText(id);
  const factOf = (name: string) => details.locator(`dt:text-is("${name}") + dd`);
  await expect(factOf('Display name')).toHaveText('detailed');
  const today = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date());
  await expect(factOf('Created')).toHaveText(today);
  await expect(listOf(page, email, 'Subscriptions')).toContainText(
    /Pro.*active.*20\d\d.* – .*20\d\d.*System subscription \(pro\)/s,
  );
  await expect(listOf(page, email, 'Rentals')).toContainText(
    /travel-enterprise.*active.*weekly.*20\d\d.* – .*20\d\d.*Ends on .*20\d\d.*Shown to friends/s,
  );
  await expectNoAxeFindings(page);
  await erasePerson(product.publicUrl, id, email);
});

test('[USR-47] [ADM-13] a rental is removed once it is confirmed, with the reason of the specification', async ({
  page,
  product,
  browser,
}) => {
  const email = 'loses-a-rental@souk.test';
  const id = await newOwner(product.publicUrl, email);
  const writes = writesOf(page);
  await openUsers(page, `&user=${id}`);
  const rentals = listOf(page, email, 'Rentals');
  await rentals.getByRole('button', { name: /^Remove / }).click();
  const remove = page.getByRole('alertdialog');
  await expect(remove.getByLabel('Reason')).toHaveValue('Rental cancelled by admin');
  await expect(remove.getByRole('checkbox', { name: /^Refund/ }), 'nothing was paid').toHaveCount(0);
  await remove.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(remove).toHaveCount(0);
  expect(writes, 'not confirmed').toEqual([]);
  await rentals.getByRole('button', { name: /^Remove / }).click();
  await remove.getByRole('button', { name: 'Remove rental', exact: true }).click();
  await expect(rentals).toHaveCount(0);
  const removed = 'DELETE /admin/users/:id/subscription/:id';
  expect(writes).toEqual([{ call: removed, body: { reason: 'Rental cancelled by admin', refund: 'none' } }]);
  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=services');
  await expect(cardOf(person, 'Travel Enterprise')).toContainText('Not Owned');
  await person.context().close();
  await erasePerson(product.publicUrl, id, email);
});

test('[USR-46] [ADM-13] a plan is removed once it is confirmed, with the reason of the specification', async ({
  page,
  product,
  browser,
}) => {
  const email = 'ends-a-plan@souk.test';
  const id = await newOwner(product.publicUrl, email);
  const writes = writesOf(page);
  await openUsers(page, `&user=${id}`);
  const subscriptions = listOf(page, email, 'Subscriptions');
  const opener = subscriptions.getByRole('button', { name: /^Remove / });
  await opener.click();
  const remove = page.getByRole('alertdialog');
  await remove.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(remove).toHaveCount(0);
  await opener.click();
  await expect(remove.getByLabel('Reason')).toHaveValue('Removed by admin');
  expect(writes, 'not confirmed').toEqual([]);
  await remove.getByRole('button', { name: 'Remove subscription', exact: true }).click();
  await expect(subscriptions).toHaveCount(0);
  const removed = 'DELETE /admin/users/:id/subscription/:id';
  expect(writes).toEqual([{ call: removed, body: { reason: 'Removed by admin', refund: 'none' } }]);
  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=services');
  await expect(cardOf(person, 'Travel Pro')).toContainText('Not Owned');
  await expect(cardOf(person, 'Travel Enterprise'), 'its rental stays').toContainText('Rented');
  await person.context().close();
  await erasePerson(product.publicUrl, id, email);
});

test('[USR-57] [ADM-14] the reason with which a subscription is removed is filled in, and may be another', async ({
  page,
  product,
}) => {
  const email = 'loses-a-plan@souk.test';
  const id = await newOwner(product.publicUrl, email);
  const writes = writesOf(page);
  await openUsers(page, `&user=${id}`);
  const subscriptions = listOf(page, email, 'Subscriptions');
  await subscriptions.getByRole('button', { name: /^Remove / }).click();
  const remove = page.getByRole('alertdialog');
  await expect(remove.getByLabel('Reason')).toHaveValue('Removed by admin');
  await remove.getByLabel('Reason').fill('They asked for it');
  await remove.getByRole('button', { name: 'Remove subscription', exact: true }).click();
  await expect(subscriptions).toHaveCount(0);
  const removed = 'DELETE /admin/users/:id/subscription/:id';
  expect(writes).toEqual([{ call: removed, body: { reason: 'They asked for it', refund: 'none' } }]);
  await erasePerson(product.publicUrl, id, email);
});

test('the service selector takes only a service that fits what was typed, also while the broker still searches', async ({
  page,
  product,
}) => {
  const email = 'selected@souk.test';
  const id = await newPerson(product.publicUrl, email);
  // journeys before this one may have deployed more than the demo has
  const calls = await administratorCalls(product.publicUrl);
  const deployed = (await calls.findServers({ query: {} })).pagination.total;
  const writes = writesOf(page);
  await openUsers(page);
  await act(page, 'Add subscription', email).click();
  const add = dialogOf(page, 'Add subscription');
  const addButton = add.getByRole('button', { name: 'Add', exact: true });
  const service = add.getByRole('combobox', { name: 'Service', exact: true });
  await add.getByLabel('Type').selectOption('Rental');
  await service.click();
  await expect(page.getByRole('option')).toHaveCount(deployed);

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
  await expect(page.getByRole('option'), 'the list begins anew').toHaveCount(deployed);
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
  const service = add.getByRole('combobox', { name: 'Service', exact: true });
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
