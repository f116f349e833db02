import type { Locator, Page } from '@playwright/test';
import { openScreen } from './open-screen.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, openSignedIn, signIn } from './sign-in.ts';

/** Presses Tab, or Shift+Tab, until an element has focus. */
async function tabTo(page: Page, target: Locator, key: 'Tab' | 'Shift+Tab' = 'Tab'): Promise<void> {
  for (let presses = 0; presses < 60; presses++) {
    await page.keyboard.press(key);
    if (await target.evaluate((element) => element.matches(':focus'))) return;
  }
  throw new Error(`not reached by Tab: ${target}`);
}

test('with the keyboard the skip link skips the header, and / moves to the search', async ({ page }) => {
  await openScreen(page, '/marketplace');
  await page.keyboard.press('Tab');
  const skip = page.getByRole('link', { name: 'Skip to content', exact: true });
  await expect(skip).toBeFocused();
  await expect(skip).toBeInViewport();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('main')).toBeFocused();
  await page.keyboard.press('/');
  const search = page.getByRole('searchbox');
  await expect(search).toBeFocused();
  await page.keyboard.type('travel/pro');
  await expect(search).toHaveValue('travel/pro');
  await page.keyboard.press('Escape');
  await expect(search).toHaveValue('');
  await search.fill('notes');
  await expect(page.getByRole('article')).toHaveCount(1);
  await tabTo(page, page.getByRole('link', { name: /View Details/ }));
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/\/service\/notes$/);
});

test('with the keyboard the first Tab on home, service and dashboard reaches the skip link', async ({ page }) => {
  const skip = page.getByRole('link', { name: 'Skip to content', exact: true });
  // a selected client at the end of the row is scrolled into view, and must not move the starting point of Tab there
  await page.addInitScript(() => localStorage.setItem('souk.client', 'stdio'));
  await openSignedIn(page, '/marketplace', 'first-tab@souk.test');
  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    for (const path of ['/', '/service/travel', '/dashboard', '/dashboard?tab=profile']) {
      await openScreen(page, path);
      // on a phone the setup of clients is folded on a service's page
      const showsClients = path !== '/dashboard?tab=profile' && !(path === '/service/travel' && width === 390);
      if (showsClients) {
        await expect(page.getByRole('tab', { name: 'Other clients', selected: true, exact: true })).toBeVisible();
      }
      await page.keyboard.press('Tab');
      await expect(skip, `${path} at ${width}`).toBeFocused();
    }
  }
});

test('after a link the heading of the new screen has the focus and the tab its title, and Back does the same', async ({
  page,
}) => {
  const heading = page.getByRole('heading', { level: 1 });
  await openScreen(page, '/');
  await page.getByRole('link', { name: 'Browse Servers', exact: true }).click();
  await expect(heading).toHaveText('All MCP Servers');
  await expect(heading).toBeFocused();
  await expect(page).toHaveTitle('All MCP Servers - Souk');
  await page.getByRole('searchbox').fill('notes');
  await expect(page, 'typing is not a navigation').toHaveURL(/q=notes$/);
  await expect(page.getByRole('searchbox')).toBeFocused();
  await expect(page.getByRole('article'), 'the broker has searched').toHaveCount(1);
  await page.getByRole('article').getByRole('link').click();
  await expect(heading).toHaveText('Notes');
  await expect(heading).toBeFocused();
  await expect(page).toHaveTitle('Notes - Souk');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('main').locator(':focus'), 'Tab continues from there').toHaveCount(1);
  await page.goBack();
  await expect(heading).toHaveText('Search results for "notes"');
  await expect(heading).toBeFocused();
  await signIn(page, 'focus@souk.test');
  await expect(heading, 'after the sign-in').toHaveText('Search results for "notes"');
  await expect(heading, 'after the sign-in').toBeFocused();
  await accountMenu(page).click();
  await page.getByRole('menuitem', { name: 'Dashboard', exact: true }).click();
  await expect(heading).toHaveText('Dashboard');
  await expect(heading).toBeFocused();
});

test('with the keyboard, clients are tabs, questions an accordion, and parameters unfold', async ({ page }) => {
  await openScreen(page, '/');
  const first = page.getByRole('tab', { selected: true });
  await tabTo(page, first);
  const name = await first.innerText();
  await page.keyboard.press('ArrowRight');
  await expect(page.getByRole('tab', { selected: true })).toBeFocused();
  await expect(page.getByRole('tab', { selected: true })).not.toHaveText(name);
  await page.keyboard.press('End');
  await expect(page.getByRole('tab', { name: 'Other clients', exact: true })).toBeFocused();
  await expect(page.getByRole('tabpanel')).toContainText('mcp-remote');
  await page.keyboard.press('Home');
  await expect(page.getByRole('tab', { name: 'Claude', exact: true })).toBeFocused();

  const question = page.getByRole('button', { name: 'Do I need API keys?', exact: true });
  await tabTo(page, question);
  await page.keyboard.press('Enter');
  await expect(question).toHaveAttribute('aria-expanded', 'true');
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Which AI clients work?', exact: true })).toBeFocused();
  await page.keyboard.press('Space');
  await expect(question).toHaveAttribute('aria-expanded', 'false');

  await openScreen(page, '/service/travel');
  const row = page.locator('summary', { hasText: 'find_airports' });
  await tabTo(page, row);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('rowheader', { name: /^query/ })).toBeVisible();
});

test('with the keyboard a user signs in, opens the account menu, and creates and revokes a token', async ({ page }) => {
  await openScreen(page, '/');
  await tabTo(page, page.getByRole('button', { name: 'Sign In', exact: true }));
  await page.keyboard.press('Enter');
  const google = page.getByRole('button', { name: /Continue with Google/ });
  await expect(google).toBeVisible();
  await tabTo(page, google);
  await page.keyboard.press('Enter');
  const email = page.getByLabel('E-mail address');
  await expect(email).toBeVisible();
  await tabTo(page, email);
  await page.keyboard.type('fingers@souk.test');
  await page.keyboard.press('Enter');

  await expect(accountMenu(page)).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Dashboard', exact: true })).toBeFocused();
  await tabTo(page, accountMenu(page), 'Shift+Tab');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('menuitem', { name: 'Dashboard', exact: true })).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Sign Out', exact: true })).toBeFocused();
  await page.keyboard.press('Escape');
  await expect(accountMenu(page)).toBeFocused();
  await page.keyboard.press('ArrowDown');
  await expect(page.getByRole('menuitem', { name: 'Dashboard', exact: true })).toBeFocused();
  await page.keyboard.press('Enter');
  await tabTo(page, page.getByRole('tab', { name: 'Connections', exact: true }));
  await page.keyboard.press('Home');
  await page.keyboard.press('ArrowLeft');
  await expect(page).toHaveURL(/\/dashboard\?tab=connections$/);
  await tabTo(page, page.getByRole('tab', { name: 'Setup', exact: true }));
  await page.keyboard.press('ArrowLeft');
  await expect(page).toHaveURL(/\/dashboard\?tab=connections&part=tokens$/);
  await expect(page.getByRole('tab', { name: 'Access tokens', exact: true })).toBeFocused();
  await expect(page.getByRole('heading', { name: 'No access tokens', exact: true })).toBeVisible();

  const create = page
    .getByRole('region', { name: 'Access tokens', exact: true })
    .getByRole('button', { name: 'Create token', exact: true });
  await tabTo(page, create);
  await page.keyboard.press('Enter');
  const form = page.getByRole('dialog');
  await expect(form).toBeVisible();
  await expect.poll(() => form.evaluate((dialog) => dialog.matches(':focus-within'))).toBe(true);
  await page.keyboard.press('Escape');
  await expect(form).toHaveCount(0);
  await expect(create, 'the focus returns').toBeFocused();

  await page.keyboard.press('Enter');
  await expect(form).toBeVisible();
  const name = form.getByLabel('Name');
  if (!(await name.evaluate((input) => input.matches(':focus')))) await tabTo(page, name);
  await page.keyboard.type('By keyboard');
  await page.keyboard.press('Enter');
  const shown = page.getByRole('alertdialog');
  await expect(shown).toContainText('By keyboard');
  await expect(form).toHaveCount(0);
  await tabTo(page, shown.getByRole('button', { name: 'Done', exact: true }));
  await page.keyboard.press('Enter');
  await expect(shown).toHaveCount(0);
  const revoke = page.getByRole('button', { name: 'Revoke By keyboard', exact: true });
  await tabTo(page, revoke);
  await page.keyboard.press('Enter');
  const confirm = shown.getByRole('button', { name: 'Revoke token', exact: true });
  await expect(confirm).toBeVisible();
  await tabTo(page, confirm);
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'No access tokens', exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Access tokens', exact: true })).toBeFocused();
});
