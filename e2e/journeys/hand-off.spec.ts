import type { Page, Request } from '@playwright/test';
import { ScriptedBrowser } from '../../apps/broker/src/testing/scripted-browser.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, signIn } from './sign-in.ts';

const signInButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Sign In' });
const isSwap = (request: Request) => request.postData()?.includes('urn%3Asouk%3Agrant%3Ahandoff') === true;

/**
 * Opens /auth/success with a ticket of somebody, who signed in elsewhere. The swap is answered with tokens of a real
 * sign-in of theirs, so that everything after it is real.
 */
async function arrive(page: Page, publicUrl: string, email: string, hint: object = { email }): Promise<void> {
  const tokens = await new ScriptedBrowser(publicUrl).signInWeb({ email });
  await page.route('**/oauth/token', (route) => {
    if (!isSwap(route.request())) return route.fallback();
    const { accessToken, refreshToken } = tokens;
    return route.fulfill({ json: { accessToken, refreshToken, expiresIn: 600 } });
  });
  const query = new URLSearchParams({ token: 'the-ticket', user: JSON.stringify(hint) });
  await page.goto(`/auth/success?${query}`);
}

test('[SIGN-34] [SIGN-38] a ticket that this browser did not ask for leaves the address before any request, and signs in after one click', async ({
  page,
  product,
}) => {
  const seen: string[] = [];
  page.on('request', async (request) => {
    if (request.isNavigationRequest()) return;
    seen.push(request.url(), JSON.stringify(await request.allHeaders()));
    if (!isSwap(request)) seen.push(request.postData() ?? '');
  });
  await arrive(page, product.publicUrl, 'arriving@souk.test');
  const question = page.getByRole('region', { name: 'Continue as arriving@souk.test?' });
  await expect(question).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/auth/success`);
  expect(seen.filter((text) => text.includes('the-ticket'))).toEqual([]);
  await expect(signInButton(page), 'nobody yet').toBeVisible();
  await question.getByRole('button', { name: 'Continue as arriving@souk.test' }).click();
  await expect(accountMenu(page)).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/dashboard`);
  await page.goBack();
  await expect(page, 'nor is it in the history').not.toHaveURL(/the-ticket/);
});

test('[SIGN-38] no is no: nobody is signed in, and who was signed in stays', async ({ page, product }) => {
  await arrive(page, product.publicUrl, 'mallory@souk.test');
  await page.getByRole('button', { name: 'Not me' }).click();
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await expect(signInButton(page)).toBeVisible();

  await signIn(page, 'carl@souk.test');
  await arrive(page, product.publicUrl, 'mallory@souk.test');
  await expect(page.getByRole('region', { name: 'Continue as mallory@souk.test?' })).toContainText('carl@souk.test');
  await page.getByRole('button', { name: 'Not me' }).click();
  await page.reload();
  await expect(accountMenu(page)).toContainText('Carl Coder');
});

test('[SIGN-36] [SIGN-37] a hint that names somebody else than the profile is an Authentication Error', async ({
  page,
  product,
}) => {
  await arrive(page, product.publicUrl, 'mallory@souk.test', { email: 'admin@souk.test', role: 'admin' });
  const alert = page.getByRole('main').getByRole('alert');
  await expect(alert).toContainText('Authentication Error');
  await expect(signInButton(page)).toBeVisible();
  await page.getByRole('link', { name: 'Return to Home' }).click();
  await page.reload();
  await expect(signInButton(page)).toBeVisible();
});

test('[SIGN-28] [SIGN-39] a ticket that this tab waited for signs in and goes back to where the sign-in began', async ({
  page,
  product,
}) => {
  await page.goto('/service/notes');
  await signInButton(page).click();
  await expect(page.getByRole('button', { name: /Continue with Google/ })).toBeVisible();
  await arrive(page, product.publicUrl, 'waiting@souk.test');
  await expect(accountMenu(page)).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/service/notes`);
});
