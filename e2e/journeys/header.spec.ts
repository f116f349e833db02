import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { accountMenu, chooseAccount, openSignedIn, signIn } from './sign-in.ts';

test("[HDR-1] [HDR-10] a visitor's header has Sign In and no dropdown, the marketplace, a logo that leads home, and a menu on a phone", async ({
  page,
  product,
}) => {
  await page.goto('/');
  await test.step('signed out, it has a Sign In button and no user dropdown', async () => {
    await expect(page.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
    await expect(accountMenu(page)).toHaveCount(0);
  });
  await test.step('it leads to the marketplace, and marks the current page', async () => {
    const link = page
      .getByRole('navigation', { name: 'Main', exact: true })
      .getByRole('link', { name: 'Marketplace', exact: true });
    await expect(link).not.toHaveAttribute('aria-current', 'page');
    await link.click();
    await expect(page).toHaveURL(/\/marketplace$/);
    await expect(link).toHaveAttribute('aria-current', 'page');
  });
  await test.step('the logo links to the home screen', async () => {
    await page.getByRole('banner').getByRole('link', { name: 'Souk', exact: true }).click();
    await expect(page).toHaveURL(`${product.publicUrl}/`);
    await expect(page.getByRole('heading', { level: 1, name: 'One-click AI upgrade', exact: true })).toBeVisible();
  });
  await test.step('on a phone its links are in a menu', async () => {
    await page.setViewportSize({ width: 390, height: 844 });
    await expect(page.getByRole('navigation', { name: 'Main', exact: true })).toBeHidden();
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Marketplace', exact: true }).click();
    await expect(page).toHaveURL(/\/marketplace$/);
  });
});

test('a user who signs in at home gets the dashboard, can reach it from every header, and signs out to home', async ({
  page,
  product,
  request,
}) => {
  const header = page.getByRole('banner');
  const link = page
    .getByRole('navigation', { name: 'Main', exact: true })
    .getByRole('link', { name: 'Dashboard', exact: true });
  await page.goto('/');
  await expect(link).toHaveCount(0);
  await test.step('[GEN-26] after a sign-in at home the dashboard opens under the header', async () => {
    await signIn(page, 'bea@souk.test');
    await expect(page).toHaveURL(`${product.publicUrl}/dashboard`);
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard', exact: true })).toBeVisible();
    await expect(header.getByRole('link', { name: 'Souk', exact: true })).toBeVisible();
  });
  await test.step('[HDR-4] [HDR-5] [HDR-6] [GEN-18] without a picture it shows a placeholder avatar, the display name, and a dropdown with the dashboard', async () => {
    await page.goto('/marketplace');
    await expect(accountMenu(page)).toContainText('Bea Buyer');
    await expect(accountMenu(page).locator('img')).toHaveCount(0);
    await expect(accountMenu(page).getByText('B', { exact: true })).toBeVisible();
    await expect(header.getByRole('button', { name: 'Sign In', exact: true })).toHaveCount(0);
    await accountMenu(page).click();
    await page.getByRole('menuitem', { name: 'Dashboard', exact: true }).click();
    await expect(page).toHaveURL(/\/dashboard$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Dashboard', exact: true })).toBeVisible();
  });
  await test.step('its link leads there too, also in the menu on a phone', async () => {
    await page.goto('/marketplace');
    await link.click();
    await expect(page).toHaveURL(/\/dashboard$/);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.goBack();
    await page.getByRole('button', { name: 'Menu', exact: true }).click();
    await page.getByRole('menuitem', { name: 'Dashboard', exact: true }).click();
    await expect(page).toHaveURL(/\/dashboard$/);
    await page.setViewportSize({ width: 1280, height: 720 });
  });
  await test.step('[GEN-19] /profile is the dashboard with its Profile tab', async () => {
    expect((await request.get('/profile')).status()).toBe(200);
    await page.goto('/profile');
    await expect(page.getByRole('tab', { name: 'Profile', selected: true, exact: true })).toBeVisible();
    await expect(page).toHaveURL(`${product.publicUrl}/dashboard?tab=profile`);
  });
  await test.step('[HDR-9] Sign Out signs out and returns to the home screen', async () => {
    await accountMenu(page).click();
    await page.getByRole('menuitem', { name: 'Sign Out', exact: true }).click();
    await expect(page).toHaveURL(`${product.publicUrl}/`);
    await expect(header.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
    await page.reload();
    await expect(header.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
    await expect(accountMenu(page)).toHaveCount(0);
  });
});

test('[HDR-3] [HDR-5] the header shows the picture of a user who has one and the email address of a user without a name, and fits at every width', async ({
  page,
}) => {
  await routeNow(page, '**/v2/user/profile', async (route) => {
    const answer = await route.fetch();
    const profile: object = Object(await answer.json());
    await route.fulfill({ response: answer, json: { ...profile, displayName: '', photoURL: '/oauth/mark.svg' } });
  });
  const email = 'a-rather-long-address-of-one-person@subdomain.souk.test';
  await openSignedIn(page, '/about', email);
  await expect(accountMenu(page)).toContainText(email);
  const picture = accountMenu(page).locator('img');
  await expect(picture).toHaveAttribute('src', '/oauth/mark.svg');
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  for (const width of [320, 640, 768, 820, 1024]) {
    await page.setViewportSize({ width, height: 800 });
    expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), `${width} px`).toBe(0);
    await expect(accountMenu(page), `${width} px`).toBeInViewport({ ratio: 1 });
  }
});

test('[INFO-14] a screen that fails, or opens while the broker does not respond, shows the fallback under the header, and Retry opens it', async ({
  page,
}) => {
  const fallback = page.getByRole('alert').getByRole('heading', { name: 'Unexpected Application Error!', exact: true });
  await page.goto('/', { waitUntil: 'networkidle' });
  await page.context().setOffline(true);
  await page.getByRole('banner').getByRole('link', { name: 'Plans', exact: true }).click();
  await expect(fallback).toBeVisible();
  await expect(page.getByRole('banner')).toBeVisible();
  await page.context().setOffline(false);
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Choose Your Plan');

  await routeNow(page, /\/assets\/dashboard-.*\.js$/, (route) => route.abort());
  await openSignedIn(page, '/dashboard', 'failing-screen@souk.test');
  await expect(fallback).toBeVisible();
  await expect(page.getByRole('button', { name: 'Retry', exact: true })).toBeVisible();
});

test('[HDR-11] [HDR-12] [GEN-23] Sign In stores the path, opens the login page with /auth/callback as its return address, and returns to that path', async ({
  page,
  product,
}) => {
  await page.goto('/marketplace?q=travel&sort=tools');
  const leaving = page.waitForRequest((request) => new URL(request.url()).pathname === '/login');
  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  const request = await leaving;
  expect(request.isNavigationRequest(), 'the whole page navigates').toBe(true);
  expect(request.frame()).toBe(page.mainFrame());
  expect(new URL(request.url()).searchParams.get('return_to')).toBe(`${product.publicUrl}/auth/callback`);

  await expect(page.getByRole('button', { name: /Continue with Google/ })).toBeVisible();
  const stored = await page.evaluate(() => Object.values({ ...sessionStorage }));
  expect(stored).toContain('/marketplace?q=travel&sort=tools');

  const back = page.waitForRequest((callback) => new URL(callback.url()).pathname === '/auth/callback');
  await chooseAccount(page, 'returning@souk.test');
  expect(new URL((await back).url()).searchParams.get('code')).toBeTruthy();
  await expect(page).toHaveURL(`${product.publicUrl}/marketplace?q=travel&sort=tools`);
});
