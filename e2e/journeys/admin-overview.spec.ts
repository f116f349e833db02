import { once } from 'node:events';
import { expect, test as base, type Page } from '@playwright/test';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import { forkProduct, type ForkedProduct } from '../forked-product.ts';
import { administrator } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { buy } from './bought.ts';
import { goodCard, payWithCard } from './pay-with-card.ts';
import { accountMenu, openSignedIn } from './sign-in.ts';

let product: ForkedProduct;
/** The fixtures begin after this, and each page is of this product. */
const test = base.extend<object, { product: ForkedProduct }>({
  product: [
    async ({}, use) => {
      product = await forkProduct(new URL('../morning-product.ts', import.meta.url));
      await use(product);
      await product.close();
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  baseURL: async ({ product: { publicUrl } }, use) => use(publicUrl),
});

/** A card that pays now, and fails at the renewal. */
const expiringCard = '4000 0000 0000 0341';
/** A card that pays, and whose owner disputes the payment. */
const disputedCard = '4000 0000 0000 0259';

async function happens(what: string): Promise<void> {
  const answer = once(product.child, 'message');
  product.child.send(what);
  await answer;
}

const starter = { type: 'credit', planId: 'credits-500' } as const;
async function tokenOf(email: string): Promise<string> {
  return (await new ScriptedBrowser(product.publicUrl).signInWeb({ email })).accessToken;
}

const needs = (page: Page, title: string) => page.getByRole('region', { name: title, exact: true });
const nothing = (page: Page) => page.getByText('Nothing needs you.', { exact: true });

/** Reloads the page until it shows the text, as a user who returns does. */
async function untilShown(page: Page, title: string, text: string | RegExp): Promise<void> {
  await expect(async () => {
    await page.reload();
    await expect(needs(page, title)).toContainText(text, { timeout: 5_000 });
  }).toPass();
}

async function untilNothing(page: Page): Promise<void> {
  await expect(async () => {
    await page.reload();
    await expect(nothing(page)).toBeVisible({ timeout: 5_000 });
  }).toPass();
}

test('figures show what users paid and called, with their change, as a drawing and as a table', async ({ page }) => {
  const accessToken = await tokenOf('buyer@souk.test');
  await buy(product.publicUrl, accessToken, starter);
  for (const end of ['ok', 'ok', 'ok', 'reset']) {
    const answer = await fetch(`${product.publicUrl}/api/tool-runs`, {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ serverId: 'used', tool: 'say', arguments: { end } }),
    });
    await answer.text();
  }
  await happens('all is counted');
  await openSignedIn(page, '/admin', administrator);
  await page.getByRole('tab', { name: 'Overview', exact: true }).click();
  await expect(page).toHaveURL(/\/admin\?tab=overview$/);
  await expect(page).toHaveTitle(/^Overview - Administration/);
  await expect(nothing(page)).toBeVisible();
  await expect(page.getByRole('tab').nth(2)).toHaveText('Overview');
  const figures = page.getByRole('region', { name: 'Last 30 days', exact: true });
  await expect(figures).toContainText(/Revenue, after refunds\$5None before/);
  await expect(figures).toContainText('A disputed payment counts until its dispute is lost.');
  await expect(figures).toContainText(/Credits you owe491None before/);
  await expect(figures).toContainText(/Credits paid for500None before/);
  await expect(figures).toContainText(/Credits used9None before/);
  await expect(figures).toContainText(/Tool calls3None before/);
  await expect(figures).toContainText(/Failed calls25%1 call\. None before/);
  await expect(figures).toContainText(/People who used services1/);
  await page.getByText('Day by day', { exact: true }).click();
  const today = page.getByRole('table', { name: 'Figures by day', exact: true }).getByRole('row').nth(1);
  await expect(today.getByRole('cell')).toHaveText(['$5', '9', '3', '1', '1']);
  await expectNoAxeFindings(page);
});

test('a morning: what needs the administrator appears with its link, and disappears once it is resolved', async ({
  page,
  browser,
}) => {
  await openSignedIn(page, '/admin?tab=overview', administrator);
  await expect(nothing(page)).toBeVisible();
  await expect(accountMenu(page)).not.toHaveAccessibleName(/Something needs you/);

  await happens('the tool changes');
  await untilShown(page, 'Tools under review', '2 tools of Used changed. They are hidden until you decide.');
  await expect(page.getByRole('tab', { name: 'Overview 2 waiting', exact: true })).toBeVisible();
  await expect(accountMenu(page)).toHaveAccessibleName(/Something needs you/);
  await expectNoAxeFindings(page);
  // the badge loads after the tabs, and makes them wider than a phone
  await page.setViewportSize({ width: 390, height: 844 });
  await page.reload();
  const chosen = page.getByRole('tab', { name: 'Overview 2 waiting', exact: true });
  await expect(chosen).toBeVisible();
  const hiddenPx = () =>
    chosen.evaluate((tab) => {
      const row = tab.parentElement?.getBoundingClientRect();
      return row === undefined ? Infinity : Math.max(0, Math.round(tab.getBoundingClientRect().right - row.right));
    });
  await expect.poll(hiddenPx).toBe(0);
  await page.setViewportSize({ width: 1280, height: 720 });
  await needs(page, 'Tools under review').getByRole('link', { name: 'Used', exact: true }).click();
  await expect(page).toHaveURL(/tab=manifests&id=used&part=tools$/);
  for (const [verdict, confirm, reason] of [
    [page.getByRole('button', { name: /^Approve / }), 'Approve tool', 'as announced'],
    [page.getByRole('button', { name: /^Keep hidden / }), 'Keep hidden', 'it asks too much'],
  ] as const) {
    await verdict.first().click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByLabel('Reason').fill(reason);
    await dialog.getByRole('button', { name: confirm, exact: true }).click();
    await expect(dialog).toHaveCount(0);
  }
  const kept = page
    .getByRole('table', { name: 'All tools', exact: true })
    .getByRole('rowheader', { name: /Kept hidden/ });
  await expect(kept).toContainText(/Hidden by admin@souk\.test on \w+ \d+, \d{4}, \d+:\d\d [AP]M: it asks too much/);
  await expect(page.getByText(/to review$/)).toHaveCount(0);
  await expectNoAxeFindings(page);
  // the decision can be changed while the server offers the tool unchanged
  const hidden = page.getByRole('region', { name: 'Kept hidden', exact: true });
  await expect(hidden).toContainText('You can still approve these tools, as the service offers them now.');
  await hidden.getByRole('button', { name: /^Approve / }).click();
  await page.getByRole('alertdialog').getByLabel('Reason').fill('the service explained it');
  await page.getByRole('alertdialog').getByRole('button', { name: 'Approve tool', exact: true }).click();
  await expect(hidden).toHaveCount(0);
  await expect(kept).toHaveCount(0);
  await page.goBack();
  await expect(nothing(page)).toBeVisible();
  await expect(page.getByRole('tab', { name: 'Overview', exact: true })).toBeVisible();

  await happens('the server goes away');
  await untilShown(page, 'Failing servers', 'Used is failing.');
  await happens('the server is back');
  await untilNothing(page);

  await buy(
    product.publicUrl,
    await tokenOf('fails@souk.test'),
    { type: 'subscription', planId: 'basic' },
    expiringCard,
  );
  await happens('a month passes');
  await untilShown(page, 'Failed renewals', "fails@souk.test couldn't be charged for Basic.");
  await needs(page, 'Failed renewals').getByRole('link', { name: 'fails@souk.test', exact: true }).click();
  await expect(page).toHaveURL(/tab=users&user=[0-9a-f-]+&part=payments$/);
  await expect(page.getByRole('main')).toContainText('fails@souk.test');
  await page.goBack();
  const subscriber = await (await browser.newContext({ baseURL: product.publicUrl })).newPage();
  await openSignedIn(subscriber, '/dashboard?tab=billing', 'fails@souk.test');
  const opened = subscriber.waitForEvent('popup');
  await subscriber.getByRole('link', { name: /^Pay \$5 for Basic/ }).click();
  await payWithCard(await opened, goodCard);
  await untilNothing(page);

  await buy(product.publicUrl, await tokenOf('disputes@souk.test'), starter, disputedCard);
  await untilShown(
    page,
    'Disputes',
    /disputes@souk\.test disputes a payment of \$5 for Starter: 500 credits\. Answer it by \w+ \d+, \d{4}\./,
  );
  await expectNoAxeFindings(page);
  const disputer = await (await browser.newContext({ baseURL: product.publicUrl })).newPage();
  await openSignedIn(disputer, '/dashboard?tab=billing', 'disputes@souk.test');
  const disputed = disputer.getByRole('table', { name: 'Recent transactions', exact: true }).getByRole('row').nth(1);
  await expect(disputed).toContainText(
    'You disputed this payment, and your bank will decide. Until then, 500 credits are taken out of your balance.',
  );
  await expect(disputed.getByRole('cell').first()).toHaveText('disputed');
  await expectNoAxeFindings(disputer);
  await happens('the dispute is answered');
  await untilNothing(page);

  await happens('webhooks wait');
  const late = await (await browser.newContext({ baseURL: product.publicUrl })).newPage();
  await openSignedIn(late, '/plans', 'late@souk.test');
  await late.getByRole('button', { name: 'Buy credits in the Starter package', exact: true }).click();
  await payWithCard(late, goodCard);
  await happens('webhooks come while Stripe is out of reach');
  await untilShown(page, 'Webhooks', /The event checkout\.session\.completed couldn't be handled/);
  await happens('Stripe is back');
  await untilNothing(page);
});
