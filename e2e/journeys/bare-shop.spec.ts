import { rm } from 'node:fs/promises';
import { expect, test as base, type Page } from '@playwright/test';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import { freePort, startProduct, type Product } from '../product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { goodCard, goToPayment, payWithCard } from './pay-with-card.ts';
import { openSignedIn } from './sign-in.ts';

// A shop without servers, where tax is added to prices and promotion codes are accepted, behind a proxy that is down:
// no client's document can be fetched, on any machine.

const test = base.extend<object, { product: Product }>({
  product: [
    async ({}, use) => {
      const product = await startProduct({
        env: {
          BUNDLED_CATALOGUE: 'off',
          STDIO: 'off',
          STRIPE_TAX: '1',
          PROMOTION_CODES: '1',
          HTTPS_PROXY: `http://127.0.0.1:${await freePort()}`,
          CLIENT_DOCUMENTS: 'on',
          SIGN_IN_PER_MINUTE: '1000',
        },
      });
      await use(product);
      await product.kill('SIGTERM');
      await rm(product.dataDir, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 600_000 },
  ],
  baseURL: async ({ product }, use) => use(product.publicUrl),
});

/** Expects this text on each screen of the catalogue, beneath the text of the specification. */
async function shows(page: Page, text: string): Promise<void> {
  const none = 'No MCP servers are currently available.';
  for (const path of ['/', '/marketplace', '/marketplace?view=live']) {
    await page.goto(path);
    const empty = page
      .locator('div', { has: page.getByRole('heading', { name: /^no (mcp )?servers found$/i }) })
      .last();
    await expect(empty, path).toContainText(`${none}${text}`);
  }
}

test('an empty shop tells a visitor, a user and its administrator who can add servers, and leads the administrator there', async ({
  browser,
  product,
}) => {
  const open = async (email?: string) => {
    const context = await browser.newContext({ baseURL: product.publicUrl, reducedMotion: 'reduce' });
    const page = await context.newPage();
    if (email !== undefined) await openSignedIn(page, '/', email);
    return page;
  };
  const visitor = await open();
  await shows(visitor, 'Is this your shop? Sign in as its administrator to add the first server.');
  // a search finds nothing for another reason
  await visitor.goto('/marketplace?q=travel');
  await expect(visitor.getByText('Try adjusting your search query.')).toBeVisible();
  await expect(visitor.getByText('Is this your shop?')).toHaveCount(0);

  await shows(await open('member@souk.test'), 'An administrator of this shop adds the services.');

  const admin = await open('admin@souk.test');
  await shows(admin, 'Upload a manifest to add the first server, or deploy one that is staged.');
  await admin.getByRole('link', { name: 'Add a Server', exact: true }).click();
  await expect(admin).toHaveURL(/\/admin\?tab=manifests$/);
  await expect(admin.getByText('Upload a manifest to add the first server.', { exact: true })).toBeVisible();
});

test('a plan is paid with tax and a code: page, result, history and Billing show how each amount is computed, and an administrator refunds it', async ({
  browser,
  product,
}) => {
  const email = 'taxed@souk.test';
  const open = async (who: string, path: string) => {
    const context = await browser.newContext({ baseURL: product.publicUrl, reducedMotion: 'reduce' });
    const page = await context.newPage();
    await openSignedIn(page, path, who);
    return page;
  };
  const person = await open(email, '/plans');
  const before = 'Tax is added at payment where it applies. You can enter a promotion code at payment.';
  await expect(person.getByRole('main').getByText(before, { exact: true }).first()).toBeVisible();
  await person.getByRole('button', { name: 'Subscribe to Pro', exact: true }).click();
  const offer = person.getByRole('alertdialog', { name: 'Subscribe to Pro?', exact: true });
  await expect(offer).toContainText('$19/month plus tax');
  await expect(offer).toContainText('Renews at $19/month plus tax until you cancel.');
  await expect(offer).toContainText(before);
  await expectNoAxeFindings(person);
  await goToPayment(person);

  // nothing is charged before the address is known
  await payWithCard(person, goodCard);
  await expect(person.getByRole('alert')).toHaveText('Choose a country.');
  await person.getByLabel('Country').selectOption({ label: 'Germany' });
  await person.getByLabel('Postal code').fill('10115');
  await person.getByRole('button', { name: 'Update total', exact: true }).click();
  const bill = person.getByRole('list').first();
  await expect(bill).toContainText(/Tax, DEMO rate of 19 %\s*\$3\.61/);
  const code = person.getByLabel('Code', { exact: true });
  for (const [typed, refusal] of [
    ['NOSUCHCODE', 'This code is invalid.'],
    ['DEMOEXPIRED', 'This code has expired.'],
    ['DEMOUSEDUP', 'This code has been used up.'],
  ] as const) {
    await code.fill(typed);
    await code.press('Enter');
    await expect(person.getByRole('alert')).toHaveText(refusal);
  }
  await code.fill('demo50');
  await person.getByRole('button', { name: 'Apply', exact: true }).click();
  await expect(bill).toContainText(
    /Subtotal\s*\$19\s*Discount\s*-\$9\.50\s*Tax, DEMO rate of 19 %\s*\$1\.81\s*Total due\s*\$11\.31/,
  );
  await expectNoAxeFindings(person);
  await payWithCard(person, goodCard);
  await expect(person.getByRole('heading', { level: 1 })).toHaveText('Payment Successful!');
  const facts = person.getByRole('main').locator('dl');
  await expect(facts).toContainText(/Subtotal\$19Discount-\$9\.50Tax\$1\.81Paid\$11\.31/);
  await expectNoAxeFindings(person);

  await person.getByRole('link', { name: 'Manage Subscription', exact: true }).click();
  const paid = '$19 - $9.50 discount + $1.81 tax = $11.31';
  const history = person.getByRole('region', { name: 'Billing History', exact: true });
  await expect(history.getByRole('row').filter({ hasText: 'Pro plan' })).toContainText(paid);
  const upcoming = person.getByRole('region', { name: 'Upcoming charges', exact: true });
  await expect(upcoming.getByRole('row').filter({ hasText: 'Pro plan' })).toContainText(
    /\$19 \+ \$3\.61 tax = \$22\.61.*\$22\.61$/s,
  );
  const receipt = person.waitForEvent('popup');
  await history.getByRole('link', { name: /^Receipt/ }).click();
  await expect((await receipt).getByRole('main')).toContainText(
    /Subtotal\s*\$19\s*Discount\s*-\$9\.50\s*Tax\s*\$1\.81/,
  );
  await (await receipt).close();
  await expectNoAxeFindings(person);

  const admin = await open('admin@souk.test', '/admin?tab=users');
  await admin.getByRole('button', { name: /taxed/ }).first().click();
  await admin.getByRole('dialog').getByRole('link', { name: 'Open full page', exact: true }).click();
  await admin.getByRole('tab', { name: 'Payments', exact: true }).click();
  const payment = admin
    .getByRole('table', { name: 'Payments', exact: true })
    .getByRole('row')
    .filter({ hasText: 'Pro plan' });
  await expect(payment).toContainText(paid);
  await admin.goto('/admin?tab=overview');
  const revenue = admin.getByRole('region', { name: 'Last 30 days', exact: true });
  await expect(revenue).toContainText('Excludes tax. $1.81 of tax was collected');
  await expect(revenue.getByText('$9.50', { exact: true }).first()).toBeVisible();
  await admin.goBack();
  await payment.getByRole('button', { name: /^Refund/ }).click();
  const refund = admin.getByRole('alertdialog', { name: 'Refund payment', exact: true });
  await expect(refund).toContainText(`${paid} was paid.`);
  await refund.getByLabel(/^Amount/).fill('19');
  await expect(refund).toContainText('At most $11.31 can be refunded.');
  await refund.getByLabel(/^Amount/).fill('11.31');
  await refund.getByLabel('Reason').fill('asked for it');
  await refund.getByRole('button', { name: 'Refund $11.31', exact: true }).click();
  await expect(admin.getByText(`$11.31 is refunded to ${email}.`)).toBeVisible();
  const back = '$9.50 + $1.81 tax = $11.31';
  await expect(admin.getByRole('row').filter({ hasText: back })).toContainText('-$11.31');
  await expectNoAxeFindings(admin);

  await person.reload();
  await expect(history.getByRole('row').filter({ hasText: back })).toContainText('+$11.31');
});

const heading = "Clients that couldn't be looked up";
const claudeCode = {
  clientId: 'https://claude.ai/oauth/claude-code-client-metadata',
  redirectUri: 'http://localhost:4711/callback',
};
const noWay = 'The outgoing proxy opened no connection to it.';
const longHost = `assistant-of-the-northern-division.${'department-'.repeat(5)}x.example`;
const longAddress = `https://${longHost}/${'oauth-client-metadata-'.repeat(12)}.json`;

/** Returns where a client with its document ends: signed in, or refused because it is not known. */
async function comeWith(product: Product, client: { clientId: string; redirectUri?: string }): Promise<string> {
  const email = 'somebody@souk.test';
  return new ScriptedBrowser(product.publicUrl).signInMcpClient({ email, ...client }).then(
    () => 'signed in',
    (error: unknown) => String(error),
  );
}

async function openConnections(page: Page, email: string): Promise<void> {
  await openSignedIn(page, '/dashboard?tab=connections', email);
  await expect(page.getByRole('heading', { name: 'No connection attempts yet', exact: true })).toBeVisible();
}

const faults = (page: Page) => page.getByRole('list', { name: heading, exact: true }).getByRole('listitem');

test('a client whose document cannot be fetched signs in with the bundled copy, and is listed while the page is open', async ({
  page,
  product,
}) => {
  await openConnections(page, 'onlooker@souk.test');
  await expect(page.getByRole('heading', { name: heading, exact: true })).toHaveCount(0);
  expect(await comeWith(product, claudeCode)).toBe('signed in');
  await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
  await expect(faults(page)).toHaveCount(1);
  const fault = faults(page).first();
  await expect(fault).toContainText('Claude Code');
  await expect(fault).toContainText('Sign-in works');
  await expect(fault).toContainText(noWay);
  await expect(fault).toContainText(claudeCode.clientId);
  await expect(fault).toContainText('Sign-in works with the copy that this server has.');
  await expect(fault).toContainText('let it reach claude.ai');
  await expect(fault).toContainText('once');
  await expectNoAxeFindings(page);
});

test('administrators see the other clients too: those with an address that is not public, and the longest name at 390 px', async ({
  page,
  product,
}) => {
  for (const clientId of [longAddress, 'https://10.1.2.3/client.json']) {
    expect(await comeWith(product, { clientId })).toContain('stopped at 400');
  }
  expect(await comeWith(product, claudeCode)).toBe('signed in');
  await openConnections(page, 'admin@souk.test');
  await expect(faults(page)).toHaveCount(3);
  const [inside, long] = [faults(page).filter({ hasText: '10.1.2.3' }), faults(page).filter({ hasText: longHost })];
  await expect(inside).toContainText("The document's address is not public.");
  await expect(inside).toContainText("Can't sign in");
  // a firewall is not the reason why a private address is not fetched
  await expect(inside).not.toContainText('firewall');
  await expect(long).toContainText(noWay);
  await expect(long).toContainText(`let this server reach ${longHost}`);

  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth'), 'no screen scrolls sideways').toBe(width);
    const edge = await page.getByRole('region', { name: heading, exact: true }).boundingBox();
    for (const fault of await faults(page).all()) {
      const box = await fault.boundingBox();
      expect(box?.width).toBeLessThanOrEqual(edge?.width ?? 0);
    }
    // a foreign address takes two lines, however long it is
    const address = await long.getByText(longAddress).boundingBox();
    expect(address?.height).toBeLessThanOrEqual(40);
  }
  await expectNoAxeFindings(page);

  // by keyboard: the list has no focusable element
  await page.getByRole('link', { name: 'Show the link', exact: true }).focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Run the self-test', exact: true })).toBeFocused();
});
