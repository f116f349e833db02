import { once } from 'node:events';
import { changeOffer, getAdminOffer } from '@souk/contract/admin/offers.ts';
import { createClient } from '@souk/contract/client.ts';
import { expect, test, type Browser, type Page } from '@playwright/test';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import { forkProduct, type ForkedProduct } from '../forked-product.ts';
import { administrator } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { buy } from './bought.ts';
import { subscribeTo } from './pay-with-card.ts';
import { openSignedIn } from './sign-in.ts';

// Offers as an administrator edits them, and what subscribers see. The offers are the product's own: no other journey
// has this product.

let product: ForkedProduct;
test.beforeAll(async () => {
  product = await forkProduct(new URL('../renewing-product.ts', import.meta.url));
});
test.afterAll(() => product.close());
test.use({ reducedMotion: 'reduce' });

async function as(browser: Browser, email: string, path: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL: product.publicUrl, reducedMotion: 'reduce' })).newPage();
  await openSignedIn(page, path, email);
  return page;
}

async function passDays(days: number): Promise<void> {
  const answer = once(product.child, 'message');
  product.child.send(days);
  await answer;
}

async function tokenOf(email: string): Promise<string> {
  return (await new ScriptedBrowser(product.publicUrl).signInWeb({ email })).accessToken;
}

const subscribe = async (email: string, planId: string) =>
  buy(product.publicUrl, await tokenOf(email), { type: 'subscription', planId });

const dialogOf = (page: Page, name: string) => page.getByRole('alertdialog', { name, exact: true });
const effects = (page: Page) => page.getByRole('alertdialog').getByRole('list', { name: 'What happens', exact: true });
const section = (page: Page, name: string) => page.getByRole('region', { name, exact: true });

test('a higher price is for new subscribers; a subscriber keeps theirs, is moved, and sees it before it applies', async ({
  browser,
}) => {
  await subscribe('keeps@souk.test', 'basic');
  const page = await as(browser, administrator, '/admin?tab=offers');
  const plans = section(page, 'Plans for sale');
  await expect(plans.getByRole('row', { name: /^Basic/ })).toContainText(
    /\$5\/month.*200 credits a month.*1.*offers\.json/,
  );
  await expectNoAxeFindings(page);
  await plans.getByRole('link', { name: 'Basic', exact: true }).click();
  await expect(page).toHaveURL(/tab=offers&offer=basic/);
  await page.getByLabel('Price in USD a month').fill('0.30');
  await page.getByRole('button', { name: 'Review changes', exact: true }).click();
  await expect(page.getByLabel('Price in USD a month')).toBeFocused();
  await expect(page.getByText('Must be at least $0.50, the least that the payment provider charges.')).toBeVisible();
  await expectNoAxeFindings(page);
  await page.getByLabel('Price in USD a month').fill('7.50');
  await page.keyboard.press('Enter');
  await expect(effects(page).getByRole('listitem')).toHaveText([
    'New subscribers pay $7.50/month from now on.',
    '1 subscriber keeps $5/month until you move them.',
    'From now on offers.json no longer changes Basic.',
  ]);
  await expectNoAxeFindings(page);
  const review = dialogOf(page, 'Save Basic');
  await review.getByLabel('Reason (optional)').fill('Costs rose');
  await review.getByRole('button', { name: 'Save changes', exact: true }).click();
  await expect(
    page.getByText(/^Edited here on .* by admin@souk\.test\. offers\.json no longer changes it\.$/),
  ).toBeVisible();
  const subscribers = section(page, 'Subscribers');
  await expect(subscribers.getByRole('listitem')).toHaveText([
    /^\$5\/month200 credits a monthOlder price1 subscriber$/,
  ]);
  await expect(section(page, 'History').getByRole('listitem')).toHaveText([
    /^Edited.*admin@souk\.test.*Price: \$5 to \$7\.50.*Reason: Costs rose$/s,
  ]);

  await passDays(32);
  const person = await as(browser, 'keeps@souk.test', '/dashboard?tab=billing');
  const history = person.getByRole('region', { name: 'Billing History', exact: true });
  await expect(async () => {
    await person.reload();
    await expect(history.getByRole('row').filter({ hasText: 'Renewal: Basic plan' })).toContainText('$5', {
      timeout: 5_000,
    });
  }).toPass();
  await expect(section(person, 'Active System Subscriptions')).toContainText(/next billing date .* · \$5/);

  await page.reload();
  await subscribers.getByRole('button', { name: 'Move 1 subscriber at their next renewal', exact: true }).click();
  await expect(effects(page).getByRole('listitem')).toHaveText([
    '1 subscriber pays $7.50/month, not $5.',
    'Each changes with a renewal. Nothing is charged or credited in between.',
  ]);
  await dialogOf(page, 'Move subscribers of Basic')
    .getByRole('button', { name: 'Move 1 subscriber', exact: true })
    .click();
  await expect(subscribers.getByRole('heading', { name: 'Move of 1 subscriber to $7.50', exact: true })).toBeVisible();
  await expect(subscribers).toContainText('1 moved');
  await expect(subscribers.getByRole('list', { name: 'Subscribers by price', exact: true })).toContainText(
    "$7.50/month200 credits a monthToday's price1 subscriber",
  );
  await expectNoAxeFindings(page);
  await page.goto(`${product.publicUrl}/admin?tab=audit&object=basic`);
  const moveStarted = page.getByRole('row').filter({ hasText: 'Started a move of subscribers to another price' });
  await expect(moveStarted).toContainText(/so far: 1 at \$5\/month with 200 credits.*price: \$7\.50/);
  await expect(moveStarted.getByText(/^move: /)).toBeHidden();
  await moveStarted.getByText('Ids', { exact: true }).click();
  await expect(moveStarted).toContainText(/move: [0-9a-f-]{36}/);
  await moveStarted.getByRole('link', { name: 'basic', exact: true }).click();
  await expect(page).toHaveURL(/tab=offers&offer=basic$/);

  await person.reload();
  await expect(person.getByRole('status').filter({ hasText: 'Your Basic plan' })).toHaveText(
    /^Your Basic plan renews at \$7\.50\/month from (.+)\. Until then it costs \$5\/month\. If you don't want that, cancel before \1\.$/,
  );
  await expect(section(person, 'Active System Subscriptions')).toContainText(/next billing date .* · \$7\.50/);
  await expectNoAxeFindings(person);
  await person.goto('/plans');
  await expect(person.getByRole('article', { name: 'Basic plan', exact: true })).toContainText(
    /\$7\.50.*Current plan.*You pay \$5\/month, from .* \$7\.50\/month\./s,
  );
  await person.goto('/dashboard?tab=billing');
  await passDays(32);
  await expect(async () => {
    await person.reload();
    await expect(history.getByRole('row').filter({ hasText: 'Renewal: Basic plan' }).first()).toContainText('$7.50', {
      timeout: 5_000,
    });
  }).toPass();
  await page.context().close();
  await person.context().close();
});

test('an archived plan cannot be bought, and its open payment page expires', async ({ browser }) => {
  await subscribe('keeps-pro@souk.test', 'pro');
  const person = await as(browser, 'late@souk.test', '/plans');
  await subscribeTo(person, 'Pro');
  await expect(person).toHaveURL(/\/dev-stripe\//);

  const page = await as(browser, administrator, '/admin?tab=offers&offer=pro');
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(effects(page).getByRole('listitem')).toHaveText([
    'No one else can subscribe to Pro from now on.',
    '1 subscriber keeps it, and it goes on renewing at the price they have.',
    '1 open payment page ends: it sells what is no longer offered.',
    'From now on offers.json no longer changes Pro.',
  ]);
  const archiving = dialogOf(page, 'Archive Pro');
  await archiving.getByLabel(/^Reason/).fill('not any more\u202E');
  await archiving.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(archiving.getByRole('alert')).toContainText('must not contain hidden characters');
  await archiving.getByLabel(/^Reason/).fill('not any more');
  await archiving.getByRole('button', { name: 'Archive', exact: true }).click();
  await expect(page.getByRole('button', { name: 'Bring back', exact: true })).toBeVisible();
  const keeps = await as(browser, 'keeps-pro@souk.test', '/plans');
  await expect(keeps.getByRole('status').filter({ hasText: 'no longer sold' })).toHaveText(
    /^Your current plan is Pro, which is no longer sold\. You keep it for \$19\/month, until you cancel or change it\. Once you leave it, you can't come back to it\.$/,
  );
  await keeps.context().close();
  await expect(async () => {
    await person.reload();
    await expect(person.getByLabel('Card number')).toHaveCount(0, { timeout: 5_000 });
  }).toPass();
  await person.goto('/plans');
  await expect(person.getByRole('article', { name: 'Enterprise plan', exact: true })).toBeVisible();
  await expect(person.getByRole('article', { name: 'Pro plan', exact: true })).toHaveCount(0);

  await page.getByRole('button', { name: 'Reset to offers.json', exact: true }).click();
  await expect(effects(page).getByRole('listitem')).toHaveText([
    'People can subscribe to Pro for $19/month from now on.',
    'offers.json changes Pro again, at each start.',
  ]);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Reset', exact: true }).click();
  await expect(page.getByText(/^Comes from offers\.json, which changes it at each start\./)).toBeVisible();
  await person.reload();
  await expect(person.getByRole('article', { name: 'Pro plan', exact: true })).toBeVisible();
  await page.context().close();
  await person.context().close();
});

test('an administrator whose offer another one changed meanwhile sees both, and decides; unsaved text is not left without a question', async ({
  browser,
}) => {
  const token = await tokenOf(administrator);
  const calls = createClient([changeOffer, getAdminOffer] as const, {
    baseUrl: product.publicUrl,
    fetch,
    token: async () => token,
  });
  const params = { id: 'enterprise' };
  const page = await as(browser, administrator, '/admin?tab=offers');
  await page.getByRole('link', { name: 'Enterprise', exact: true }).click();
  await page.getByLabel('Description').fill('Everything, for companies.');
  await page.getByRole('button', { name: 'Review changes', exact: true }).click();
  await expect(effects(page)).toHaveText(/The Plans page shows the new description at once\./);
  const { offer } = await calls.getAdminOffer({ params });
  const fields = { ...offer.fields, amount: 10_900 };
  await calls.changeOffer({ params, body: { change: { type: 'edit', fields }, revision: offer.revision } });
  await dialogOf(page, 'Save Enterprise').getByRole('button', { name: 'Save changes', exact: true }).click();
  await expect(page.getByRole('main').getByRole('alert')).toHaveText(
    'admin@souk.test changed this offer while you were editing it. Your changes were not saved.',
  );
  const changed = page.getByRole('group', { name: 'Changed meanwhile', exact: true });
  await expect(changed).toBeFocused();
  await expect(changed).toBeInViewport();
  await expect(page.getByRole('region', { name: 'What differs', exact: true }).getByRole('row')).toHaveText([
    'FieldSaved nowYours',
    'Price109.00Not changed',
    'DescriptionEvery service, and the most credits each month.Everything, for companies.',
  ]);
  await expectNoAxeFindings(page);
  await page.getByRole('button', { name: 'Keep mine and review', exact: true }).click();
  await expect(effects(page).getByRole('listitem')).toHaveText(['The Plans page shows the new description at once.']);
  await expect(page.getByLabel('Price in USD a month')).toHaveValue('109.00');
  await dialogOf(page, 'Save Enterprise').getByRole('button', { name: 'Save changes', exact: true }).click();
  const newest = section(page, 'History').getByRole('listitem').first();
  await expect(newest).toContainText('“Everything, for companies.”');
  await expect(newest).not.toContainText('Price');

  // by either link
  await page.getByRole('link', { name: 'All offers', exact: true }).click();
  await page.getByRole('link', { name: 'Basic', exact: true }).click();
  await page.getByLabel('Description').fill('Not saved yet.');
  const leaving = dialogOf(page, 'Leave without saving?');
  const leavings = [
    () => page.getByRole('link', { name: 'All offers', exact: true }).click(),
    () => page.evaluate(() => history.back()),
    () => page.getByRole('tab', { name: 'User Management', exact: true }).click(),
  ];
  for (const leave of leavings) {
    await leave();
    await expect(leaving).toContainText("Your changes to Basic aren't saved, and are lost when you leave.");
    await leaving.getByRole('button', { name: 'Keep editing', exact: true }).click();
    await expect(leaving).toHaveCount(0);
    await expect(page.getByLabel('Description')).toHaveValue('Not saved yet.');
  }
  const asked = page.waitForEvent('dialog');
  page.once('dialog', (dialog) => void dialog.dismiss());
  await page.evaluate(() => void setTimeout(() => location.reload()));
  expect((await asked).type()).toBe('beforeunload');
  await expect(page.getByLabel('Description')).toHaveValue('Not saved yet.');
  await page.getByRole('link', { name: 'All offers', exact: true }).click();
  await leaving.getByRole('button', { name: 'Leave', exact: true }).click();
  await page.getByRole('button', { name: 'New package', exact: true }).click();
  await page.getByLabel('Name', { exact: true }).fill('Huge');
  await page.evaluate(() => history.back());
  await expect(leaving).toContainText("The new package isn't saved, and is lost when you leave.");
  await expectNoAxeFindings(page);
  await leaving.getByRole('button', { name: 'Leave', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Plans', exact: true })).toBeVisible();
  await page.context().close();
});

test('a plan is added by keyboard, with its faults at their fields, and is on the Plans page immediately', async ({
  browser,
}) => {
  const page = await as(browser, administrator, '/admin?tab=offers');
  await page.getByRole('button', { name: 'New plan', exact: true }).press('Enter');
  await expect(page).toHaveURL(/add=plan/);
  await page.getByRole('button', { name: 'Review and add', exact: true }).press('Enter');
  await expect(page.getByLabel('Id', { exact: true })).toBeFocused();
  await expect(page.getByText('Must not be empty.')).toHaveCount(2);
  await expect(page.getByText('Must be an amount such as 12.00.')).toBeVisible();
  await expectNoAxeFindings(page);
  await page.getByLabel('Id', { exact: true }).fill('basic');
  await page.getByLabel('Name', { exact: true }).fill('Team');
  await page.getByLabel('Price in USD a month').fill('49');
  await page.getByLabel('Monthly credits').fill('2500');
  await page.getByLabel('Description').fill('For a few people.');
  await page.getByLabel('Features').fill('Everything in Basic\nOne invoice');
  await page.getByLabel('Place on the Plans page').selectOption('3');
  await page.getByLabel('Most Popular').check();
  await page.getByRole('button', { name: 'Review and add', exact: true }).press('Enter');
  await expect(page.getByText('Is the id of another offer.')).toBeVisible();
  await expect(page.getByRole('alertdialog')).toHaveCount(0);
  await page.getByLabel('Id', { exact: true }).fill('team');
  await page.getByLabel('Name', { exact: true }).fill('Pro');
  await page.keyboard.press('Enter');
  await expect(page.getByText('Is the name of another plan: pro.')).toBeVisible();
  await expect(page.getByLabel('Name', { exact: true })).toBeFocused();
  await page.getByLabel('Name', { exact: true }).fill('Team');
  await page.keyboard.press('Enter');
  await expect(effects(page).getByRole('listitem')).toHaveText([
    'People can subscribe to Team for $49/month from now on.',
    'Team is marked Most Popular, and Pro no longer is.',
  ]);
  await dialogOf(page, 'Add Team').getByRole('button', { name: 'Add plan', exact: true }).click();
  await expect(page.getByText('Team is added.', { exact: true })).toBeVisible();
  await expect(page.getByText(/can subscribe to Team/)).toHaveCount(0);
  await expect(page).toHaveURL(/offer=team/);
  await page.goBack();
  await expect(page.getByRole('heading', { name: 'Plans', exact: true })).toBeVisible();
  const visitor = await (await browser.newContext({ baseURL: product.publicUrl })).newPage();
  await visitor.goto('/plans');
  await expect(visitor.getByRole('article', { name: / plan$/ })).toHaveCount(5);
  await expect(visitor.getByRole('article', { name: / plan$/ }).nth(2)).toContainText(
    /Team.*Most Popular.*\$49.*2,500 credits each month/s,
  );
  await expect(visitor.getByText('Most Popular', { exact: true })).toHaveCount(1);
  await visitor.context().close();
  await page.context().close();
});
