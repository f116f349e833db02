import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from '@playwright/test';
import { expect, test } from './product-test.ts';
import { accountMenu, chooseAccount, signIn } from './sign-in.ts';

/** Calls a tool through the person's link, with a token that their own page made. */
async function callNotes(page: Page, publicUrl: string): Promise<string> {
  const token = await page.evaluate(async () => {
    const { accessToken } = JSON.parse(localStorage.getItem('souk.tokens') ?? '{}');
    const answer = await fetch('/auth/pat/create', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'journey' }),
    });
    return (await answer.json()).token as string;
  });
  const answer = await fetch(`${publicUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': 'notes__list_tags',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'notes__list_tags',
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  return answer.text();
}

const notesSwitch = (page: Page) => page.getByRole('switch', { name: 'Use Notes' });

async function expectNoAxeFindings(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const { violations } = await new AxeBuilder({ page }).setLegacyMode().analyze();
    expect(violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])).toEqual([]);
  }
}

test('[TOG-15] [TOG-16] [TOG-22] [TOG-23] a link from a conversation: sign in here, switch on, sign in there, call, disconnect', async ({
  page,
  product,
}) => {
  await page.goto('/connect/notes');
  await chooseAccount(page, 'connect@souk.test');
  await expect(accountMenu(page)).toBeVisible();
  await expect(page).toHaveURL(/\/connect\/notes$/);
  await expect(page.getByRole('heading', { level: 1, name: 'Connect Notes' })).toBeVisible();
  await expect(page.getByRole('region', { name: 'Your account' })).toContainText('connect@souk.test');
  await expect(page.getByText('Not signed in', { exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  expect(await callNotes(page, product.publicUrl)).toContain(`${product.publicUrl}/connect/notes`);

  await notesSwitch(page).click();
  await expect(page.getByText('Its tools are not in your link.')).toBeVisible();
  expect(await callNotes(page, product.publicUrl)).toContain('Unknown tool');

  const opened = page.waitForEvent('popup');
  await notesSwitch(page).click();
  const popup = await opened;
  await popup.getByLabel('Your name').fill('Connie');
  await popup.getByRole('button', { name: 'Allow' }).click();
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
  await expect(page.getByText('Its tools are in your link.')).toBeVisible();
  expect(popup.isClosed() || (await popup.waitForEvent('close').then(() => true))).toBe(true);
  await expectNoAxeFindings(page);
  expect(await callNotes(page, product.publicUrl)).toContain('Your notes have no tags');

  await page.getByRole('button', { name: 'Disconnect' }).click();
  const question = page.getByRole('alertdialog', { name: 'Disconnect Notes?' });
  await question.getByRole('button', { name: 'Disconnect' }).click();
  await expect(question).toHaveCount(0);
  await expect(page.getByText('Not signed in', { exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your connection' })).toBeFocused();
  expect(await callNotes(page, product.publicUrl)).toContain(`${product.publicUrl}/connect/notes`);
});

test('[TOG-18] a sign-in that the person refuses there says so here, on a phone, by keyboard alone', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await page.goto('/marketplace');
  await signIn(page, 'refuse@souk.test');
  await page.goto('/connect/notes');
  const button = page.getByRole('button', { name: 'Sign in to Notes' });
  await button.focus();
  const opened = page.waitForEvent('popup');
  await page.keyboard.press('Enter');
  const popup = await opened;
  await popup.getByRole('button', { name: 'Deny' }).click();
  await expect(page.getByRole('alert').filter({ hasText: 'You did not allow access to Notes.' })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
});

test('where windows are blocked the page itself goes there, and comes back', async ({ page }) => {
  await page.goto('/marketplace');
  await signIn(page, 'blocked@souk.test');
  await page.addInitScript(() => {
    window.open = () => null;
  });
  await page.goto('/connect/notes');
  await page.getByRole('button', { name: 'Sign in to Notes' }).click();
  await page.getByLabel('Your name').fill('Blocked');
  await page.getByRole('button', { name: 'Allow' }).click();
  await expect(page).toHaveURL(/\/connect\/notes$/);
  await expect(page.getByText('Connected', { exact: true })).toBeVisible();
});

test('an unknown service and a failing broker have screens of their own', async ({ page }) => {
  await page.goto('/marketplace');
  await signIn(page, 'states@souk.test');
  await page.goto('/connect/nothing');
  await expect(page.getByRole('heading', { name: 'There is no service “nothing”' })).toBeVisible();
  await page.goto('/connect/travel');
  await expect(page.getByRole('heading', { name: 'No sign-in needed' })).toBeVisible();
  await page.route('**/upstream-connections', (route) => route.fulfill({ status: 500, body: '{}' }));
  await page.goto('/connect/notes');
  await expect(page.getByRole('alert').filter({ hasText: 'This service cannot be shown' })).toBeVisible();
  await page.unroute('**/upstream-connections');
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('heading', { name: 'Connect Notes' })).toBeVisible();
  await page.goto('/connect/callback?state=made-up&code=made-up');
  await expect(
    page.getByRole('alert').filter({ hasText: 'This sign-in has expired or was used already' }),
  ).toBeVisible();
  await expect(page).toHaveURL(/\/connect\/callback$/);
});
