import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { accountMenu, chooseAccount, openSignedIn } from './sign-in.ts';

const callNotes = (page: Page, publicUrl: string) => callThroughLink(page, publicUrl, 'notes__list_tags');
/** Returns the text at the end of /connect/{id}. */
const finished = (page: Page) => page.getByText('Connected. Go back to your assistant.', { exact: true });
/**
 * Clicks the switch once it accepts clicks: it accepts none during a change, even if its failure is already visible.
 */
async function flip(page: Page, name: string): Promise<void> {
  await settled(page);
  await page.getByRole('switch', { name: `Use ${name}`, exact: true }).click();
}
const settled = (page: Page) =>
  expect(page.getByRole('region', { name: /^Use (?!this service)/ })).toHaveAttribute('aria-busy', 'false');
/** Switches a service off, and waits until the page knows it: the switch shows it immediately. */
async function switchOff(page: Page, name: string): Promise<void> {
  await flip(page, name);
  await expect(page.getByText("Off: your assistants can't use it.")).toBeVisible();
  await settled(page);
}
const notesSwitch = (page: Page) => page.getByRole('switch', { name: 'Use Notes', exact: true });

function countEnables(page: Page): () => number {
  let enables = 0;
  page.on('request', (request) => {
    if (request.url().endsWith('/mcp/notes/enable')) enables += 1;
  });
  return () => enables;
}

/** Simulates the strictest popup blocker: it lets a window open only while a click is being handled. */
async function blockLateWindows(page: Page): Promise<void> {
  await page.addInitScript(() => {
    let isClick = false;
    const open = window.open.bind(window);
    window.addEventListener('click', () => (isClick = true), true);
    window.addEventListener('click', () => (isClick = false));
    window.open = (...request) => (isClick ? open(...request) : null);
  });
}

async function signInAsNotes(window: Page, name: string): Promise<void> {
  await window.getByLabel('Your name').fill(name);
  await window.getByRole('button', { name: 'Allow', exact: true }).click();
}

test('[TOG-15] [TOG-16] [TOG-22] [TOG-23] a link from a conversation: sign in here, switch on, sign in there, call, disconnect', async ({
  page,
  product,
}) => {
  await blockLateWindows(page);
  await page.goto('/connect/notes');
  await chooseAccount(page, 'connect@souk.test');
  await expect(accountMenu(page)).toBeVisible();
  await expect(page).toHaveURL(/\/connect\/notes$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Connect Notes', exact: true })).toBeVisible();
  const account = page.getByRole('region', { name: 'Your account', exact: true });
  await expect(account).toContainText('Signed in here as connect (connect@souk.test)');
  await expect(page.getByText('Not signed in', { exact: true })).toBeVisible();
  await expect(page.getByText("On, but your assistants can't use it until you sign in to Notes.")).toBeVisible();
  await expect(finished(page)).toHaveCount(0);
  await expectNoAxeFindings(page);
  expect(await callNotes(page, product.publicUrl)).toContain(`${product.publicUrl}/connect/notes`);

  await switchOff(page, 'Notes');
  expect(await callNotes(page, product.publicUrl)).toContain('Notes is switched off. Turn it on: ');

  const enables = countEnables(page);
  const opened = page.waitForEvent('popup');
  await notesSwitch(page).click();
  const popup = await opened;
  await signInAsNotes(popup, 'Connie');
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
  await expect(page.getByText('On: your assistants can use it through your link.')).toBeVisible();
  expect(popup.isClosed() || (await popup.waitForEvent('close').then(() => true))).toBe(true);
  expect(enables(), 'requested, and requested once more after the sign-in').toBe(2);
  await expect(account).toContainText('Signed in here as connect');
  await expect(finished(page)).toBeVisible();
  await expectNoAxeFindings(page);
  expect(await callNotes(page, product.publicUrl)).toContain('Your notes have no tags');
  await page.reload();
  await expect(notesSwitch(page), 'the broker has it on').toBeChecked();

  await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Disconnect Notes?', exact: true });
  await question.getByRole('button', { name: 'Disconnect', exact: true }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByText('Not signed in', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your Notes account', exact: true })).toBeFocused();
  await expect(finished(page)).toHaveCount(0);
  expect(await callNotes(page, product.publicUrl)).toContain(`${product.publicUrl}/connect/notes`);
});

test('"Use another account" asks for an account and returns as the other user', async ({ page }) => {
  await page.goto('/connect/notes');
  await chooseAccount(page, 'first-person@souk.test');
  const account = page.getByRole('region', { name: 'Your account', exact: true });
  await expect(account).toContainText('first-person@souk.test');
  await account.getByRole('button', { name: 'Use another account', exact: true }).click();
  await chooseAccount(page, 'second-person@souk.test');
  await expect(page).toHaveURL(/\/connect\/notes$/);
  await expect(account).toContainText('second-person@souk.test');
});

test('[TOG-17] [TOG-20] [TOG-21] [TOG-25] a failed switch shows the message of the server, otherwise the text of the specification', async ({
  page,
}) => {
  await openSignedIn(page, '/connect/travel', 'failing-switch@souk.test');
  const travel = page.getByRole('switch', { name: 'Use Travel', exact: true });
  const alert = page.getByRole('main').getByRole('alert');
  const answer = async (action: string, body: string) => {
    await page.unrouteAll();
    await routeNow(page, `**/mcp/travel/${action}`, (route) => route.fulfill({ status: 502, body }));
  };
  await answer('disable', '<html>');
  await flip(page, 'Travel');
  await expect(alert).toHaveText('Failed to disable server');
  await expect(travel).toBeChecked();
  await answer('disable', '{"message":"The proxy is restarting."}');
  await flip(page, 'Travel');
  await expect(alert).toHaveText('The proxy is restarting.');
  await answer('disable', '{"message":"Profile migration required"}');
  await flip(page, 'Travel');
  await expect(alert).toHaveText(
    'User profile needs to be migrated to support MCP server preferences. Please contact support.',
  );
  await page.unrouteAll();
  await switchOff(page, 'Travel');
  await expect(alert).toHaveCount(0);
  await answer('enable', '<html>');
  await flip(page, 'Travel');
  await expect(alert).toHaveText('Failed to enable server');
  await expect(travel).not.toBeChecked();

  await page.goto('/connect/notes');
  await switchOff(page, 'Notes');
  const opened = page.waitForEvent('popup');
  await notesSwitch(page).click();
  const popup = await opened;
  await expect(popup.getByLabel('Your name')).toBeVisible();
  await routeNow(page, '**/mcp/notes/enable', (route) => route.fulfill({ status: 502, body: '<html>' }));
  await signInAsNotes(popup, 'Late');
  await expect(alert).toHaveText('Failed to enable server after OAuth');
});

test('[TOG-18] [ERR-14] a sign-in that the user refuses there is reported here, on a phone, by keyboard only; a switch-on whose sign-in is refused is reported too, and stays off', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSignedIn(page, '/connect/notes', 'refuse@souk.test');
  const button = page.getByRole('button', { name: 'Sign in to Notes', exact: true });
  await button.focus();
  const opened = page.waitForEvent('popup');
  await page.keyboard.press('Enter');
  const popup = await opened;
  await popup.getByRole('button', { name: 'Deny', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'You did not allow access to Notes.' })).toBeVisible();
  await expectNoAxeFindings(page);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);

  await page.setViewportSize({ width: 1280, height: 720 });
  await page.reload();
  await switchOff(page, 'Notes');
  const reopened = page.waitForEvent('popup');
  await notesSwitch(page).click();
  await (await reopened).getByRole('button', { name: 'Deny', exact: true }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'OAuth authorization failed:' })).toHaveText(
    'OAuth authorization failed: You did not allow access to Notes.',
  );
  await expect(notesSwitch(page)).not.toBeChecked();
});

const blockedText = 'Failed to open OAuth popup window. Please allow popups for this site.';

test('[SIGN-51] [TOG-16] if windows are blocked the sign-in button and the switch say so, continue in this tab, and are done after the return', async ({
  page,
}) => {
  await openSignedIn(page, '/marketplace', 'blocked-switch@souk.test');
  await page.addInitScript(() => {
    window.open = () => null;
  });
  await test.step('the sign-in button says so, continues in this tab, and returns', async () => {
    await page.goto('/connect/notes');
    await page.getByRole('button', { name: 'Sign in to Notes', exact: true }).click();
    await expect(page.getByRole('alert').filter({ hasText: blockedText })).toBeVisible();
    await page.getByRole('button', { name: 'Continue in this tab', exact: true }).click();
    await signInAsNotes(page, 'Blocked');
    await expect(page).toHaveURL(/\/connect\/notes$/);
    await expect(page.getByText('Connected', { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect', exact: true }).click();
    await expect(page.getByText('Not signed in', { exact: true })).toBeVisible();
  });
  for (const path of ['/connect/notes', '/service/notes']) {
    await page.goto(path);
    if (path.startsWith('/service')) {
      await page.goto('/connect/notes');
      await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
      await page.getByRole('alertdialog').getByRole('button', { name: 'Disconnect', exact: true }).click();
      await expect(page.getByText('Not signed in', { exact: true })).toBeVisible();
      await page.goto(path);
    }
    await switchOff(page, 'Notes');
    await notesSwitch(page).click();
    const alert = page.getByRole('alert').filter({ hasText: blockedText });
    await expect(alert).toBeVisible();
    await expect(notesSwitch(page)).not.toBeChecked();
    await expectNoAxeFindings(page);
    const enables = countEnables(page);
    await alert.getByRole('button', { name: 'Continue in this tab', exact: true }).click();
    await signInAsNotes(page, 'Blocked');
    await expect(page).toHaveURL((url) => url.pathname === path);
    await expect(notesSwitch(page)).toBeChecked();
    await expect(page.getByText('On: your assistants can use it through your link.')).toBeVisible();
    expect(enables(), 'the one retry').toBe(1);
  }
});

test('an unknown service, a failing broker and an expired sign-in have separate screens', async ({ page }) => {
  await openSignedIn(page, '/connect/nothing', 'states@souk.test');
  await expect(page.getByRole('heading', { name: 'There is no service “nothing”', exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  await page.goto('/connect/travel');
  await expect(page.getByText('Travel is on. Go back to your assistant.', { exact: true })).toBeVisible();
  await switchOff(page, 'Travel');
  await expect(page.getByRole('heading', { name: 'No sign-in needed', exact: true })).toBeVisible();
  await page.getByRole('switch', { name: 'Use Travel', exact: true }).click();
  await expect(finished(page)).toBeVisible();
  await routeNow(page, '**/upstream-connections', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.goto('/connect/notes');
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to load this service' })).toBeVisible();
  await expectNoAxeFindings(page);
  await page.unroute('**/upstream-connections');
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Connect Notes', exact: true })).toBeVisible();
  await page.goto('/connect/callback?state=made-up&code=made-up');
  await expect(
    page.getByRole('alert').filter({ hasText: 'This sign-in has expired or was already used' }),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/connect\/callback$/);
  await expectNoAxeFindings(page);
});
