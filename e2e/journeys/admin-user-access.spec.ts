import type { Page } from '@playwright/test';
import { administratorCalls, erasePerson, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { holdCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { cardOf } from './shop-page.ts';
import { act, asPerson, dialogOf, openUsers, writesOf } from './users-page.ts';

// What administrators give to a user and remove from them, including credits, and what that user then has.

test.use({ reducedMotion: 'reduce' });

const optionsOf = (page: Page, label: string) =>
  page.getByLabel(label, { exact: true }).locator('option').allInnerTexts();

test('[USR-15] [USR-20] [USR-21] [USR-23] credits are set, also if the balance has changed meanwhile, and are there immediately', async ({
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
  // Enter shows the 0 that replaced the typed text, and sends nothing
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

  // another administrator was faster: no typed text is lost
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

test('[USR-32] [USR-33] [USR-34] [USR-35] a plan is given by the month, a rental also by the day and the week, of a service chosen among the deployed ones; another type clears it', async ({
  page,
  product,
}) => {
  const email = 'offered@souk.test';
  await newPerson(product.publicUrl, email);
  // earlier journeys may have deployed more than the demo has
  const calls = await administratorCalls(product.publicUrl);
  const deployed = (await calls.findServers({ query: {} })).pagination.total;
  const writes = writesOf(page);
  await openUsers(page);
  await act(page, 'Add subscription', email).click();
  const add = addOf(page);
  const type = add.getByLabel('Type');
  const service = serviceOf(page);
  const options = page.getByRole('option');
  await expect(type).toHaveValue('subscription');
  expect(await optionsOf(page, 'Period')).toEqual(['Monthly']);
  expect(await optionsOf(page, 'Type')).toEqual(['Subscription', 'Rental', 'Purchase']);
  await expect(service).toHaveCount(0);
  await type.selectOption('Rental');
  expect(await optionsOf(page, 'Period')).toEqual(['Daily', 'Weekly', 'Monthly']);
  await expect(add.getByLabel('Period')).toHaveValue('monthly');
  await expect(add.getByLabel('Plan')).toHaveCount(0);
  await service.click();
  await expect(options).toHaveCount(deployed);

  // only matching services can be chosen, also while the broker still searches
  const release = await holdCalls(page, '**/api/catalogue/servers?*q=github*');
  await service.fill('github');
  await expect(page.getByText('Searching…')).toBeVisible();
  await expect(options, 'nothing in the previous list matches').toHaveCount(0);
  await page.keyboard.press('Enter');
  await expect(service, 'nothing is chosen').toHaveValue('');
  release();
  await service.fill('github');
  await expect(page.getByText('No service matches.'), 'it is staged, not deployed').toBeVisible();
  await page.keyboard.press('Enter');
  await expect(service).toHaveValue('');
  await expect(addButton(page)).toBeDisabled();
  const releaseNext = await holdCalls(page, '**/api/catalogue/servers?*q=enterprise*');
  await service.click();
  await expect(options, 'the list starts anew').toHaveCount(deployed);
  await service.fill('enterprise');
  await expect(options, 'matches any answer of the broker').toHaveText([/^Travel Enterprise/]);
  await page.keyboard.press('Enter');
  await expect(service).toHaveValue('Travel Enterprise');
  await expect(addButton(page)).toBeEnabled();
  releaseNext();

  // after further typing it is no longer the chosen one, and the form is not sent with it
  await service.focus();
  await page.keyboard.press('End');
  await page.keyboard.type(' of nobody');
  await expect(service).toHaveValue('Travel Enterprise of nobody');
  await expect(page.getByText('No service matches.')).toBeVisible();
  await page.keyboard.press('Enter');
  await expect(service).toHaveValue('');
  await expect(addButton(page)).toBeDisabled();

  await chooseService(page, 'travel pro', 'Travel Pro');
  await type.selectOption('Subscription');
  await type.selectOption('Rental');
  await expect(service, 'cleared').toHaveValue('');
  await expect(addButton(page)).toBeDisabled();
  expect(writes).toEqual([]);

  // a shop of 5,000: the list is a page of 20, and the rest is found by typing
  await routeNow(page, '**/api/catalogue/servers?*', async (route) => {
    const response = await route.fetch();
    const found = Object(await response.json());
    const many = Array.from({ length: 20 }, (_, index) => ({ ...found.servers[0], serverId: `of-many-${index}` }));
    const pagination = { ...found.pagination, total: 5000 };
    await route.fulfill({ response, json: { ...found, servers: many, pagination } });
  });
  await service.fill('a');
  await expect(options).toHaveCount(20);
  await expect(page.getByText('20 of 5,000. Type to find more.')).toBeVisible();
});

test('[USR-31] [USR-37] [USR-40] [USR-56] a plan, a rental and a purchase are given once each is chosen, and the user has them immediately', async ({
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
  await expect(addButton(page)).toBeDisabled();
  await add.getByLabel('Plan').selectOption({ label: 'Pro (T2)' });
  await expectNoAxeFindings(page);
  await addButton(page).click();
  await expect(page.getByText(`${email} has the pro plan`)).toBeVisible();

  await act(page, 'Add subscription', email).click();
  await add.getByLabel('Type').selectOption('Rental');
  await expect(addButton(page)).toBeDisabled();
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

/** Creates a user who was given a plan, a rental and a purchase. @returns their id */
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

test('[USR-12] [USR-13] [USR-14] the details of a user are in the address, identify the user, and count and list each kind of item separately', async ({
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

  // four different counts
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
  await page.reload();
  for (const [label, count] of Object.entries({ Subscriptions: 3, Purchases: 1, Rentals: 4, Trials: 2 })) {
    await expect(factOf(label), label).toHaveText(String(count));
    await expect(listOf(page, email, label).locator('> li')).toHaveCount(count);
  }
  await erasePerson(product.publicUrl, id, email);
});

test('[USR-46] [USR-47] [USR-57] [ADM-13] a plan and a rental are removed after a confirmation, with the reason of the specification or another', async ({
  page,
  product,
  browser,
}) => {
  const email = 'loses@souk.test';
  const id = await newOwner(product.publicUrl, email);
  const calls = await administratorCalls(product.publicUrl);
  await calls.addUserSubscription({ params: { id }, body: { type: 'rental', mcpId: 'calendar' } });
  const writes = writesOf(page);
  await openUsers(page, `&user=${id}`);
  const subscriptions = listOf(page, email, 'Subscriptions');
  const rentals = listOf(page, email, 'Rentals');
  const remove = page.getByRole('alertdialog');
  const removed = 'DELETE /admin/users/:id/subscription/:id';

  const opener = subscriptions.getByRole('button', { name: /^Remove / });
  await opener.click();
  await remove.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(remove).toHaveCount(0);
  expect(writes, 'not confirmed').toEqual([]);
  await opener.click();
  await expect(remove.getByLabel('Reason')).toHaveValue('Removed by admin');
  await remove.getByRole('button', { name: 'Remove subscription', exact: true }).click();
  await expect(subscriptions).toHaveCount(0);
  expect(writes.splice(0)).toEqual([{ call: removed, body: { reason: 'Removed by admin', refund: 'none' } }]);
  await expect(rentals.locator('> li'), 'they stay').toHaveCount(2);

  await rentals.getByRole('button', { name: 'Remove Travel Enterprise', exact: true }).click();
  await expect(remove.getByLabel('Reason')).toHaveValue('Rental cancelled by admin');
  await expect(remove.getByRole('checkbox', { name: /^Refund/ }), 'nothing was paid').toHaveCount(0);
  await remove.getByRole('button', { name: 'Remove rental', exact: true }).click();
  await expect(rentals.locator('> li')).toHaveCount(1);
  await rentals.getByRole('button', { name: 'Remove Calendar', exact: true }).click();
  await remove.getByLabel('Reason').fill('They asked for it');
  await remove.getByRole('button', { name: 'Remove rental', exact: true }).click();
  await expect(rentals).toHaveCount(0);
  expect(writes).toEqual([
    { call: removed, body: { reason: 'Rental cancelled by admin', refund: 'none' } },
    { call: removed, body: { reason: 'They asked for it', refund: 'none' } },
  ]);
  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=services');
  for (const name of ['Travel Pro', 'Travel Enterprise']) await expect(cardOf(person, name)).toContainText('Not Owned');
  await expect(cardOf(person, 'Sequential Thinking'), 'the purchase stays').toContainText('Purchased');
  await person.context().close();
  await erasePerson(product.publicUrl, id, email);
});
