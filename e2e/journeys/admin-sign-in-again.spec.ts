import { changeOffer, getAdminOffer } from '@souk/contract/admin/offers.ts';
import { addUserSubscription } from '@souk/contract/admin/billing.ts';
import { listServerRenters } from '@souk/contract/admin/servers.ts';
import { listUsers } from '@souk/contract/admin/users.ts';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { createClient } from '@souk/contract/client.ts';
import type { BrowserContext, Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { buy } from './bought.ts';
import { startCompanyProduct, type CompanyProduct } from './company-product.ts';
import { expect, test } from './product-test.ts';
import { accountMenu } from './sign-in.ts';
import { rowOf, warningOf, writesOf } from './users-page.ts';
import { written } from './manifests-page.ts';

// Actions of an administrator on accounts or money require a sign-in of the last 15 minutes. The provider dates the
// current one as older than that.

const longAgoSeconds = 20 * 60;
const tooOld = 'your last sign-in was more than 15 minutes ago.';

const lost = "We can't see the sign-in window anymore.";

/**
 * Isolates the next sign-in window from its opener, and makes its last page wait until the returned function is called.
 */
async function cutOffAndHold(context: BrowserContext): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  await context.route('**/auth/oidc?*', async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 });
    const headers = { ...answer.headers(), 'cross-origin-opener-policy': 'same-origin' };
    await route.fulfill({ response: answer, headers });
  });
  await context.route(
    '**/oauth/token',
    async (route) => {
      await released.promise;
      await route.continue();
    },
    { times: 1 },
  );
  return released.resolve;
}

/** Keeps the sign-in window at the company until the returned function is called. */
async function holdWindow(page: Page, issuer: string): Promise<() => void> {
  const released = Promise.withResolvers<void>();
  const ofWindow = `${issuer}/**`;
  await page.context().route(ofWindow, async (route) => {
    await released.promise;
    await route.continue();
  });
  return released.resolve;
}

let shared: CompanyProduct | undefined;
test.beforeAll(async ({ browser }) => {
  shared = await startCompanyProduct(browser);
});
test.afterEach(() => shared?.closePages());
test.afterAll(() => shared?.close());

/** Opens the details of a user, for an administrator who signed in a while ago. */
async function begin(name: string) {
  if (!shared) throw new Error('the product is not running');
  await shared.tokenOf(name);
  const page = await shared.pageOf('ana', '/admin?tab=users', longAgoSeconds);
  await page.getByRole('button', { name: `View details: ${name}@acme.test`, exact: true }).click();
  const details = page.getByRole('dialog').filter({ hasText: `${name}@acme.test` });
  return { ...shared, page, details };
}

/** Returns calls of the administrator, separate from those of the browser. */
async function callsOfAna<const E extends Parameters<typeof createClient>[0]>(endpoints: E) {
  if (!shared) throw new Error('the product is not running');
  const token = await shared.tokenOf('ana');
  return createClient<E>(endpoints, { baseUrl: shared.product.publicUrl, fetch, token: async () => token });
}

/** Rents a service as a user, and pays for it. */
async function rent(name: string, id: string): Promise<void> {
  if (!shared) throw new Error('the product is not running');
  const { product, tokenOf } = shared;
  const calls = await callsOfAna(adminManifestEndpoints);
  const billing = { tier: 'T2', rental: { price: 900 } };
  await calls.createManifest({ query: {}, body: written({ id, name: id, billing }) });
  await calls.deployManifest({ params: { id }, body: {} });
  await buy(product.publicUrl, await tokenOf(name), { type: 'rental', mcpId: id });
}

test('deactivating a user asks an administrator to sign in again, in a window; the typed text stays, and the user is deactivated', async () => {
  const { page, details, company } = await begin('bo');
  await details.getByRole('button', { name: 'Deactivate user', exact: true }).click();
  const dialog = warningOf(page, 'Deactivate user?');
  await dialog.getByLabel('Reason (optional)').fill('Left the company');
  await dialog.getByRole('button', { name: 'Deactivate user', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText(tooOld);
  await expectNoAxeFindings(page);

  // the provider redirects with its existing sign-in: nothing is done
  const again = dialog.getByRole('button', { name: 'Sign in again', exact: true });
  const opened = page.waitForEvent('popup');
  await again.click();
  const refused = await opened;
  await expect(refused.getByText('did not ask you to sign in again.')).toBeVisible();
  await refused.close();
  await expect(dialog.getByRole('alert')).toContainText(lost);
  await expect(dialog.getByLabel('Reason (optional)')).toHaveValue('Left the company');

  // and the provider isolates the next window: to this page it looks closed as well
  company.signedInAgoSeconds = 0;
  const finish = await cutOffAndHold(page.context());
  const late = page.waitForEvent('popup');
  await again.click();
  const gone = (await late).waitForEvent('close');
  await expect(dialog.getByRole('alert')).toContainText(tooOld);
  await expect(dialog.getByRole('alert')).toContainText(lost);
  finish();
  await expect(dialog).toHaveCount(0);
  await gone;
  await expect(details).toContainText('This user is deactivated');
  await page.keyboard.press('Escape');
  await expect(rowOf(page, 'bo@acme.test')).toContainText('Inactive');
  await expect(accountMenu(page)).toBeVisible();
});

test('an erasure keeps the typed address; a dialog that is closed while the window is open does nothing after the sign-in', async () => {
  const { page, details, company } = await begin('cy');
  const writes = writesOf(page);
  await details.getByRole('button', { name: 'Erase user', exact: true }).click();
  const dialog = warningOf(page, 'Erase user?');
  const address = dialog.getByLabel("User's email");
  const confirm = dialog.getByRole('button', { name: 'Erase user', exact: true });
  await address.fill('cy@acme.test');
  await confirm.click();
  await expect(dialog.getByRole('alert')).toContainText(tooOld);
  await expect(address).toHaveValue('cy@acme.test');
  const erasure = { call: 'POST /admin/users/:id/erase', body: { confirm: 'cy@acme.test', reason: '' } };
  expect(writes.splice(0)).toEqual([erasure]);

  company.signedInAgoSeconds = 0;
  const tokens = () => page.evaluate(() => window.localStorage.getItem('souk.tokens'));
  const before = await tokens();
  const release = await holdWindow(page, company.issuer);
  const opened = page.waitForEvent('popup');
  await dialog.getByRole('button', { name: 'Sign in again', exact: true }).click();
  const closed = (await opened).waitForEvent('close');
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  release();
  await closed;
  await expect.poll(tokens).not.toBe(before);
  expect(writes, 'it was not confirmed since').toEqual([]);
  // this sign-in allows the next one
  await details.getByRole('button', { name: 'Erase user', exact: true }).click();
  await address.fill('cy@acme.test');
  await confirm.click();
  await expect(page.getByText('The account is erased.')).toBeVisible();
  await expect(rowOf(page, 'ana@acme.test')).toBeVisible();
  await expect(rowOf(page, 'cy@acme.test')).toHaveCount(0);
  expect(writes).toEqual([erasure]);
});

test('a refund from the details of a user is chosen, asks for a new sign-in, is made after it, and the user finds it in their history', async () => {
  await rent('di', 'atlas');
  const { page, details, company, visitorNamed } = await begin('di');
  const rentals = details.getByRole('list', { name: 'Rentals', exact: true });
  await expect(rentals).toContainText(
    /atlas.*active.*monthly.*Paid.*Next charge: \$9 on \w+ \d+, \d{4}, \d{1,2}:\d\d\s[AP]M\./s,
  );
  await rentals.getByRole('button', { name: 'Remove atlas', exact: true }).click();
  const remove = warningOf(page, 'Remove atlas?');
  await expect(remove).toContainText('It is canceled at the payment provider too. This cannot be undone.');
  const refund = remove.getByRole('checkbox', { name: /^Refund \$(9\.00|8\.99)$/ });
  await expect(refund, 'no refund without a choice').not.toBeChecked();
  const amount = (await remove.getByText(/^Refund \$/).innerText()).replace('Refund ', '');
  await refund.check();
  await remove.getByLabel('Reason').fill('It was never used');
  await remove.getByRole('button', { name: 'Remove rental', exact: true }).click();
  await expect(remove.getByRole('alert')).toContainText(tooOld);
  await expect(refund).toBeChecked();
  await expect(remove.getByLabel('Reason')).toHaveValue('It was never used');
  await expectNoAxeFindings(page);

  const sent = page.waitForRequest((request) => request.method() === 'DELETE');
  company.signedInAgoSeconds = 0;
  await remove.getByRole('button', { name: 'Sign in again', exact: true }).click();
  expect((await sent).postDataJSON()).toEqual({ reason: 'It was never used', refund: 'prorata' });
  await expect(page.getByText(`The rental has ended. ${amount} was refunded.`)).toBeVisible();
  await expect(rentals).toHaveCount(0);
  const person = await visitorNamed('di');
  await person.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true }).click();
  // the company knows the user, and asks nothing
  await person.getByRole('button', { name: 'Continue with Acme', exact: true }).click();
  await expect(accountMenu(person)).toBeVisible();
  await person.goto('/dashboard?tab=billing');
  const history = person.getByRole('region', { name: 'Billing History', exact: true });
  await expect(history.getByRole('row').filter({ hasText: /refund/i })).toContainText(amount);
});

test('the deletion of a server names its renters and owners; a refund with it asks for a new sign-in, keeps the typed text, and is made unchanged after it', async () => {
  await rent('ed', 'globe');
  const calls = await callsOfAna([listServerRenters, addUserSubscription, listUsers] as const);
  if (!shared) throw new Error('the product is not running');
  await shared.tokenOf('owner');
  const { users } = await calls.listUsers({ query: { search: 'owner@acme.test' } });
  const params = { id: users[0]?.id ?? '' };
  await calls.addUserSubscription({ params, body: { type: 'purchase', mcpId: 'globe' } });
  const { renters } = await calls.listServerRenters({ params: { id: 'globe' }, query: {} });
  expect(renters).toHaveLength(1);
  const { company } = shared;
  const page = await shared.pageOf('ana', '/admin', longAgoSeconds);
  await expect(page.getByRole('row', { name: /^globe/ })).toContainText('1 renter');
  await page.getByRole('button', { name: 'Delete globe', exact: true }).click();
  const dialog = warningOf(page, 'Delete globe?');
  await expect(dialog).toContainText('They end with the paid period, without a refund. If you choose a refund here,');
  await expect(dialog.getByRole('heading', { name: '1 person rents it', exact: true })).toBeVisible();
  await expect(dialog.getByRole('status')).toHaveText('No refund is chosen.');
  const owners = dialog.getByRole('region', { name: '1 person bought it or is trying it', exact: true });
  await expect(owners).toContainText('They lose it immediately, without a refund.');
  await expect(owners.getByRole('listitem')).toHaveText(['owner@acme.testPurchased']);
  const refund = dialog.getByRole('checkbox', { name: /^Refund \$\d(\.\d\d)? to ed@acme\.test$/ });
  await refund.check();
  await expect(dialog.getByRole('status')).toHaveText(/^1 refund, \$[89](\.\d\d)? in total\.$/);
  await dialog.getByLabel('Reason').fill('Nobody looks after it');
  await dialog.getByLabel('Type globe to confirm').fill('globe');
  await dialog.getByRole('button', { name: 'Delete globe', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText(tooOld);
  await expect(refund).toBeChecked();
  await expect(dialog.getByLabel('Type globe to confirm')).toHaveValue('globe');
  await expectNoAxeFindings(page);

  company.signedInAgoSeconds = 0;
  const release = await holdWindow(page, company.issuer);
  const sent = page.waitForRequest((request) => request.method() === 'DELETE');
  const answer = page.waitForResponse((response) => response.request().method() === 'DELETE' && response.ok());
  await dialog.getByRole('button', { name: 'Sign in again', exact: true }).click();
  await dialog.getByLabel('Reason').fill('Its maker is gone');
  release();
  expect((await sent).postDataJSON()).toMatchObject({
    reason: 'Its maker is gone',
    refundRentals: renters.map(({ rentalId }) => rentalId),
  });
  expect(await (await answer).json()).toMatchObject({ refunds: [{ result: 'refunded', currency: 'USD' }] });
  await expect(page.getByText(/^globe is deleted\. \$[89](\.\d\d)? is refunded\.$/)).toBeVisible();
  await expect(page.getByRole('link', { name: 'globe', exact: true })).toHaveCount(0);
});

test('a move of subscribers asks for a new sign-in, keeps the typed reason, and begins after it', async () => {
  if (!shared) throw new Error('the product is not running');
  const { product, company, tokenOf, pageOf } = shared;
  await buy(product.publicUrl, await tokenOf('fay'), { type: 'subscription', planId: 'basic' });
  const calls = await callsOfAna([changeOffer, getAdminOffer] as const);
  const params = { id: 'basic' };
  const { offer } = await calls.getAdminOffer({ params });
  const fields = { ...offer.fields, amount: 700 };
  await calls.changeOffer({ params, body: { change: { type: 'edit', fields }, revision: offer.revision } });

  const page = await pageOf('ana', '/admin?tab=offers&offer=basic', longAgoSeconds);
  await page.getByRole('button', { name: 'Move 1 subscriber at their next renewal', exact: true }).click();
  const dialog = warningOf(page, 'Move subscribers of Basic');
  await dialog.getByLabel('Reason (optional)').fill('All pay the same');
  await dialog.getByRole('button', { name: 'Move 1 subscriber', exact: true }).click();
  await expect(dialog.getByRole('alert')).toContainText(tooOld);
  expect((await calls.getAdminOffer({ params })).moves).toEqual([]);

  company.signedInAgoSeconds = 0;
  await dialog.getByRole('button', { name: 'Sign in again', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await expect(page.getByRole('heading', { name: 'Move of 1 subscriber to $7', exact: true })).toBeVisible();
  await expect(page.getByRole('list', { name: 'History', exact: true })).toContainText('Reason: All pay the same');
});
