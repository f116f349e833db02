import { readFile, rm } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { startProduct, type Product } from '../product.ts';
import { untilAllConnected } from '../until-all-connected.ts';
import { administratorCalls } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { failCalls } from './catalogue-answer.ts';
import { expect, test as ofProduct } from './product-test.ts';
import { chooseAccount, openSignedIn } from './sign-in.ts';

const travel: { version: string } = JSON.parse(
  await readFile(new URL('../../catalogue/deployed/travel.json', import.meta.url), 'utf8'),
);

/** This journey has a separate product, because its prices change. */
const test = ofProduct.extend<object, { product: Product }>({
  product: [
    async ({}, use) => {
      const product = await startProduct({ env: { STDIO: 'off', SIGN_IN_PER_MINUTE: '1000' } });
      await untilAllConnected(product.publicUrl, 5);
      await use(product);
      await product.kill('SIGTERM');
      await rm(product.dataDir, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 600_000 },
  ],
});
let publicUrl = '';
let versions = 0;
test.beforeEach(async ({ product }) => {
  publicUrl = product.publicUrl;
  await deploy({ distance: 1, plan_round_trip: 5 });
});

/** Deploys Travel with other prices, like an administrator. */
async function deploy(toolCosts: Record<string, number>, announcedPrices: object = {}): Promise<void> {
  const calls = await administratorCalls(publicUrl);
  const version = `2.0.${versions++}`;
  const manifest = { ...travel, version, billing: { tier: 'T0', toolCosts, announcedPrices } };
  await calls.createManifest({ query: {}, body: JSON.stringify(manifest) });
  await calls.deployManifest({ params: { id: 'travel' }, body: { version } });
}

/** Opens a screen as a user with credits who has called a tool for one credit. */
async function openAsCustomer(page: Page, path: string, email: string): Promise<void> {
  await openSignedIn(page, path, email);
  const calls = await administratorCalls(publicUrl);
  const { users } = await calls.listUsers({ query: { search: email } });
  await calls.setUserCredits({ params: { id: users[0]?.id ?? '' }, body: { credits: 5_000, reason: 'A journey.' } });
  expect(await distance(page)).toContain('6309 km');
}

const distance = (page: Page) => callThroughLink(page, publicUrl, 'travel__distance', { from: 'ZRH', to: 'JFK' });
const waiting = (page: Page) => page.getByRole('region', { name: /^Waiting for you/ });
const rows = (page: Page) => waiting(page).getByRole('listitem');
const approve = (page: Page, tool: string) =>
  waiting(page).getByRole('button', { name: `Approve ${tool}`, exact: true });

test('a call that costs more is refused with a link, where the user signs in, approves the price and calls again', async ({
  page,
  browser,
}) => {
  await openAsCustomer(page, '/about', 'rise@souk.test');
  await deploy({ distance: 500, plan_round_trip: 5 });
  const refused = await distance(page);
  const link = `${publicUrl}/prices?server=travel&tool=distance`;
  expect(refused).toContain(`The price of travel__distance rose from 1 to 500 credits. Approve it: ${link}`);

  const elsewhere = await browser.newContext({ reducedMotion: 'reduce' });
  const opened = await elsewhere.newPage();
  await opened.goto(link);
  await chooseAccount(opened, 'rise@souk.test');
  await expect(opened).toHaveURL(link);
  await expect(opened.getByRole('heading', { level: 1 })).toHaveText('Price changes');
  await expect(rows(opened)).toHaveText(
    /Distance between airports.*Travel · Since .*from 1 to 500 credits per call.*Approve/,
  );
  await expectNoAxeFindings(opened);
  await approve(opened, 'Distance between airports').press('Enter');
  await expect(waiting(opened).getByRole('heading', { name: 'Nothing to approve', exact: true })).toBeVisible();
  await expect(waiting(opened).getByRole('heading', { name: 'Waiting for you', exact: true })).toBeFocused();
  await expect(opened.getByText('The price of Distance between airports is approved. Calls work again.')).toBeVisible();
  await expectNoAxeFindings(opened);
  expect(await distance(page)).toContain('6309 km');
  await elsewhere.close();
});

test('the dashboard shows the pending prices; each has its own button, and one approves all', async ({ page }) => {
  await openAsCustomer(page, '/dashboard', 'rises@souk.test');
  const notice = page.getByRole('status').filter({ hasText: 'rose' });
  await expect(page.getByRole('region', { name: 'Tier and credits', exact: true })).toBeVisible();
  await expect(notice).toHaveCount(0);
  const trip = { from: 'ZRH', to: 'JFK', departure_date: '2027-01-01', return_date: '2027-01-08' };
  await callThroughLink(page, publicUrl, 'travel__plan_round_trip', trip);
  await callThroughLink(page, publicUrl, 'travel__find_airports', { query: 'Zurich' });
  await deploy({ distance: 2, plan_round_trip: 6, find_airports: 1 });
  await page.reload();
  await expect(notice).toContainText('The price of 3 tools that you use rose. Their calls wait for your approval.');
  await expectNoAxeFindings(page);
  await notice.getByRole('link', { name: 'Review', exact: true }).click();
  await expect(rows(page)).toHaveCount(3);
  await expect(rows(page).filter({ hasText: 'Find airports' })).toContainText(/Free.*to 1 credit per call/);
  await approve(page, 'Find airports').click();
  await expect(rows(page)).toHaveCount(2);
  await waiting(page).getByRole('button', { name: 'Approve all', exact: true }).click();
  await expect(waiting(page).getByRole('heading', { name: 'Nothing to approve', exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Go to the dashboard', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Tier and credits', exact: true })).toBeVisible();
  await expect(notice).toHaveCount(0);
});

test('prices that cannot be read or approved say so, and a price that changed again is shown with its new amount', async ({
  page,
}) => {
  await openAsCustomer(page, '/about', 'moves@souk.test');
  await deploy({ distance: 300 });
  const heal = await failCalls(page, '**/api/billing/price-rises*', { message: 'The books are closed.' });
  await page.goto('/prices');
  const failure = page.getByRole('main').getByRole('alert');
  await expect(failure).toContainText('Failed to load price changes');
  await heal();
  await page.getByRole('main').getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(rows(page)).toHaveText(/to 300 credits per call/);
  await deploy({ distance: 400 });
  await approve(page, 'Distance between airports').click();
  await expect(failure).toContainText('A price has changed again. Nothing was approved.');
  await expect(rows(page)).toHaveText(/from 1 to 400 credits per call/);
  await approve(page, 'Distance between airports').click();
  await expect(waiting(page).getByRole('heading', { name: 'Nothing to approve', exact: true })).toBeVisible();
});

test('a tool that is run from its page asks for approval there before it runs', async ({ page }) => {
  await openAsCustomer(page, '/about', 'runs@souk.test');
  await deploy({ distance: 7 });
  await page.goto('/service/travel?try=distance');
  const form = page.getByRole('form', { name: 'Parameters of Distance between airports', exact: true });
  await form.getByRole('textbox', { name: /^from\b/i }).fill('ZRH');
  await form.getByRole('textbox', { name: /^to\b/i }).fill('JFK');
  await form.getByRole('button', { name: 'Run', exact: true }).click();
  const question = page.getByRole('region', { name: 'The price of this tool rose', exact: true });
  await expect(question).toContainText(
    /^The price of this tool roseSince .* UTC a call costs 7 credits instead of 1\./,
  );
  await expect(question.getByRole('heading')).toBeFocused();
  await expectNoAxeFindings(page);
  await question.getByRole('button', { name: 'Decline', exact: true }).click();
  const result = page.getByRole('region', { name: /^Result of/ });
  await expect(result.getByRole('alert')).toContainText('The price of distance rose from 1 to 7 credits.');
  await form.getByRole('button', { name: 'Run', exact: true }).click();
  await question.getByRole('button', { name: 'Approve and run', exact: true }).click();
  await expect(result).toContainText('7 credits, 4,992 left');
});

test('an announced price is on the page of the service, on the dashboard and among the price changes', async ({
  page,
}) => {
  await openAsCustomer(page, '/about', 'announced@souk.test');
  await deploy({ distance: 1 }, { distance: { credits: 9, from: '2099-12-01T12:00:00Z' } });
  await page.goto('/service/travel');
  const tool = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Distance between airports' });
  await expect(tool).toContainText('1 credit per call9 credits from Dec 1, 2099 UTC');
  await page.goto('/dashboard');
  const notice = page.getByRole('status').filter({ hasText: 'rises from 1 to 9 credits on Dec 1, 2099 UTC' });
  await notice.getByRole('link', { name: 'See prices', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Announced', exact: true }).getByRole('listitem')).toHaveText(
    /Travel · From Dec 1, 2099 UTC.*from 1 to 9 credits per call/,
  );
  await expectNoAxeFindings(page);
  expect(await distance(page)).toContain('6309 km');
});
