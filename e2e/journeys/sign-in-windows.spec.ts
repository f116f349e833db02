import type { BrowserContext, Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, openSignedIn } from './sign-in.ts';

// A provider whose pages have their own opener policy separates the sign-in window from the page that opened it, in
// every browser: that page sees it as closed while the user is still signing in.

const lost = "We can't see the sign-in window. If it's still open, finish there and this page updates.";
const lostOwn =
  "We can't see the sign-in window anymore. If it's still open, finish there and this page continues. If you closed it, try again.";

/** Gives the provider's pages the policy. */
async function cutOff(context: BrowserContext, isOfProvider: (address: URL) => boolean): Promise<void> {
  await context.route(isOfProvider, async (route) => {
    const answer = await route.fetch({ maxRedirects: 0 });
    await route.fulfill({
      response: answer,
      headers: { ...answer.headers(), 'cross-origin-opener-policy': 'same-origin' },
    });
  });
}
/** Excludes the toasts, which have their own container outside. */
const alertOf = (page: Page) => page.getByRole('main').getByRole('alert');
const isOfNotes = ({ hostname, pathname }: URL) => hostname === '127.0.0.1' && pathname.startsWith('/oauth/');

async function openedBy(page: Page, press: () => Promise<void>): Promise<Page> {
  const opened = page.waitForEvent('popup');
  await press();
  return opened;
}

test('[TOG-16] [TOG-18] [TOG-23] a page waits for a sign-in in a window that its provider separated, even after a reload', async ({
  page,
  context,
}) => {
  await cutOff(context, isOfNotes);
  await openSignedIn(page, '/connect/notes', 'cut-off@souk.test');
  const toggle = page.getByRole('switch', { name: 'Use Notes', exact: true });
  await toggle.click();
  await expect(page.getByText("Off: your assistants can't use it.")).toBeVisible();
  await expect(page.getByRole('region', { name: 'Use Notes', exact: true })).toHaveAttribute('aria-busy', 'false');

  const refused = await openedBy(page, () => toggle.click());
  await expect(refused.getByLabel('Your name')).toBeVisible();
  expect(await refused.evaluate(() => [window.name, window.opener === null]), 'it is separated').toEqual(['', true]);
  await expect(page.getByText('Finish in the other window.', { exact: true })).toBeVisible();
  await expect(page.getByText(lost, { exact: true })).toBeVisible();
  await expect(toggle).not.toBeChecked();
  await expectNoAxeFindings(page);
  await refused.getByRole('button', { name: 'Deny', exact: true }).click();
  await expect(alertOf(page)).toHaveText('OAuth authorization failed: You did not allow access to Notes.');
  await expect(page.getByText(lost, { exact: true })).toHaveCount(0);
  await expect(refused.getByText(/You did not allow access/)).toHaveText('You did not allow access to Notes.');
  const closed = refused.waitForEvent('close');
  // the window may be closed before its click is confirmed
  const click = refused.getByRole('button', { name: 'Close window', exact: true }).click();
  await Promise.all([closed, click.catch(() => {})]);

  const popup = await openedBy(page, () => toggle.click());
  await expect(alertOf(page)).toHaveCount(0);
  await expect(popup.getByLabel('Your name')).toBeVisible();
  await page.reload();
  await expect(page.getByText(lost, { exact: true }), 'the page remembers').toBeVisible();
  await expect(toggle).not.toBeChecked();
  const gone = popup.waitForEvent('close');
  await popup.getByLabel('Your name').fill('Cora');
  await popup.getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(page.getByText('You are signed in to Notes.', { exact: true })).toBeVisible();
  await expect(toggle).toBeChecked();
  await expect(page.getByText(lost, { exact: true })).toHaveCount(0);
  await gone;
  await page.reload();
  await expect(toggle, 'the broker has it on').toBeChecked();
  await expect(page.getByText('You are signed in to Notes.', { exact: true })).toHaveCount(0);
});

test('[SIGN-53] a page that hears nothing from a separated window learns from the broker that the account is connected', async ({
  page,
  context,
}) => {
  await cutOff(context, isOfNotes);
  await openSignedIn(page, '/dashboard?tab=connections', 'deaf@souk.test');
  const services = page.getByRole('region', { name: 'Services that need your account', exact: true });
  const popup = await openedBy(page, () =>
    services.getByRole('button', { name: 'Sign in to Notes', exact: true }).click(),
  );
  await popup.addInitScript(() => {
    BroadcastChannel.prototype.postMessage = () => {};
  });
  await popup.getByLabel('Your name').fill('Dora');
  await expect(services.getByText(lost, { exact: true })).toBeVisible();
  const gone = popup.waitForEvent('close');
  await popup.getByRole('button', { name: 'Allow', exact: true }).click();
  await gone;
  await expect(services).toContainText('Connected');
  await expect(services.getByText('You are signed in to Notes.', { exact: true })).toBeVisible();
});

test('[SIGN-45] [SIGN-50] our own sign-in in a window that its provider separated signs in the page that opened it, however late', async ({
  page,
  context,
  product,
}) => {
  await cutOff(context, ({ pathname }) => pathname.startsWith('/oauth/interaction/'));
  await page.goto('/sign-in');
  const popup = await openedBy(page, () =>
    page.getByRole('button', { name: 'Use a popup window', exact: true }).click(),
  );
  await popup.getByRole('button', { name: /Continue with Google/ }).click();
  await expect(popup.getByLabel('E-mail address')).toBeVisible();
  expect(await popup.evaluate(() => [window.name, window.opener === null]), 'it is separated').toEqual(['', true]);
  await expect(alertOf(page)).toHaveText(lostOwn);
  const gone = popup.waitForEvent('close');
  await popup.getByLabel('E-mail address').fill('late@souk.test');
  await popup.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(accountMenu(page)).toContainText('late');
  await expect(page).toHaveURL(`${product.publicUrl}/dashboard`);
  await gone;
});
