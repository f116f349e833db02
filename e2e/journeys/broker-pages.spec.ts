import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { consentAddress, consentRedirectUri } from './consent-address.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

/** Clicks the button in the header, which switches to the next theme. */
async function chooseTheme(page: Page, theme: string): Promise<void> {
  const button = page.getByRole('button', { name: /^Theme: / });
  const chosen = page.getByRole('button', { name: new RegExp(`^Theme: ${theme}\\.`) });
  for (let clicks = 0; clicks < 3 && !(await chosen.isVisible()); clicks++) await button.click();
  await expect(chosen).toBeVisible();
}

/** Returns the lightness of the page's background, 0 to 255, as rendered. */
const lightness = (page: Page) =>
  page.evaluate(() => Number(/\d+/.exec(getComputedStyle(document.body).backgroundColor)?.[0]));

test("the broker's own pages follow the theme chosen in the web app, and the system if none was chosen", async ({
  page,
  product,
}) => {
  const consent = await consentAddress(product.publicUrl);
  const pages = [consent, '/auth/google?return_to=/auth/success', '/oauth/authorize?client_id=none', '/auth/github'];
  for (const [system, chosen, isDark] of [
    ['light', 'dark', true],
    ['dark', 'light', false],
    ['dark', 'system', true],
    ['light', 'system', false],
  ] as const) {
    await page.emulateMedia({ colorScheme: system });
    await page.goto('/marketplace');
    await chooseTheme(page, chosen);
    for (const path of pages) {
      await page.goto(path);
      const ground = await lightness(page);
      expect(ground < 128, `${path} with ${chosen} on a ${system} system: ${ground}`).toBe(isDark);
    }
  }
});

test("without scripts the broker's own pages follow the system, and sign in anyway", async ({ browser, product }) => {
  const context = await browser.newContext({
    javaScriptEnabled: false,
    colorScheme: 'dark',
    baseURL: product.publicUrl,
  });
  const page = await context.newPage();
  await page.goto(await consentAddress(product.publicUrl));
  expect(await lightness(page)).toBeLessThan(128);
  await page.emulateMedia({ colorScheme: 'light' });
  expect(await lightness(page)).toBeGreaterThan(128);
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Choose an account', exact: true })).toBeVisible();
  await context.close();
});

test('every page of the broker has a title, one heading, no finding of axe in either theme, and no overflow on a phone', async ({
  page,
  product,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const check = async (heading: string | RegExp) => {
    await expect(page.getByRole('heading', { level: 1 })).toHaveText(heading);
    await expect(page).toHaveTitle(/ - Souk$/);
    await expectNoAxeFindings(page);
    expect(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth)).toBe(true);
  };
  await page.goto('/sign-in?return_to=%2Fdashboard');
  await expect(page.getByRole('button', { name: /Continue with Google/ })).toBeVisible();
  await check('Sign in to Souk');
  await page.goto(await consentAddress(product.publicUrl));
  await check('Allow A client to use your Souk account?');
  await page.goto('/auth/google?return_to=/auth/success');
  await check('Choose an account');
  for (const [path, heading] of [
    ['/auth/github', 'Not available yet'],
    ['/auth/unknown', 'Sign-in did not work'],
    ['/oauth/interaction/none', 'This request is no longer open'],
    [`/oauth/authorize?client_id=none&redirect_uri=${consentRedirectUri}`, 'This app is no longer registered'],
  ] as const) {
    await page.goto(path);
    await check(heading);
  }
  await openSignedIn(page, '/', 'themed@souk.test');
  await page.goto(await consentAddress(product.publicUrl));
  await expect(page.getByText('themed@souk.test')).toBeVisible();
  await check('Allow A client to use your Souk account?');
});

test('"Not you?" by keyboard: another account is chosen, the same consent returns, and the web app is signed out', async ({
  page,
  product,
}) => {
  await openSignedIn(page, '/', 'first@souk.test');
  await page.goto(await consentAddress(product.publicUrl, '/s/travel/mcp'));
  await expect(page.getByRole('definition').filter({ hasText: 'Travel' })).toBeVisible();
  await expect(page.getByText('first@souk.test')).toBeVisible();
  const other = page.getByRole('button', { name: 'Use another account', exact: true });
  await page.getByRole('link', { name: 'Souk', exact: true }).focus();
  await page.keyboard.press('Tab');
  await expect(other).toBeFocused();
  await page.keyboard.press('Enter');
  await page.getByLabel('E-mail address').fill('second@souk.test');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Allow A client to use your Souk account?');
  await expect(page.getByText('second@souk.test')).toBeVisible();
  await page.goto('/marketplace');
  await page.reload();
  await expect(page.getByText('first@souk.test')).toHaveCount(0);
});
