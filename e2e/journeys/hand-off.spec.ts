import type { Page, Request } from '@playwright/test';
import { ScriptedBrowser } from '../../apps/broker/src/testing/scripted-browser.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, signIn } from './sign-in.ts';

const signInButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Sign In' });
const isSwap = (request: Request) => request.postData()?.includes('urn%3Asouk%3Agrant%3Ahandoff') === true;

/** Opens /auth/success with a ticket of somebody who signed in elsewhere. Gives the ticket. */
async function arrive(page: Page, publicUrl: string, email: string, hint?: object): Promise<string> {
  const address = await new ScriptedBrowser(publicUrl).signIn('/auth/google?return_to=/auth/success', { email });
  if (hint) address.searchParams.set('user', JSON.stringify(hint));
  await page.goto(address.href);
  return address.searchParams.get('token') ?? '';
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
  const ticket = await arrive(page, product.publicUrl, 'arriving@souk.test');
  const question = page.getByRole('region', { name: 'Continue as arriving@souk.test?' });
  await expect(question).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/auth/success`);
  expect(seen.filter((text) => text.includes(ticket))).toEqual([]);
  await expect(signInButton(page), 'nobody yet').toBeVisible();
  await question.getByRole('button', { name: 'Continue as arriving@souk.test' }).click();
  await expect(accountMenu(page)).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/dashboard`);
  await page.goBack();
  await expect(page, 'nor is it in the history').not.toHaveURL(new RegExp(ticket));
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

test('[SIGN-10] [SIGN-32] from the provider straight to /auth/success, and the ticket is good for one browser', async ({
  page,
  browser,
  product,
}) => {
  const arrival = page.waitForRequest((request) => new URL(request.url()).pathname === '/auth/success');
  await page.goto('/auth/google?return_to=/auth/success');
  await page.getByLabel('E-mail address').fill('straight@souk.test');
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
  const address = (await arrival).url();
  await page.getByRole('button', { name: 'Continue as straight@souk.test' }).click();
  await expect(accountMenu(page)).toBeVisible();
  await page.reload();
  await expect(accountMenu(page), 'the cookie came with it').toBeVisible();

  const elsewhere = await browser.newContext({ baseURL: product.publicUrl });
  const thief = await elsewhere.newPage();
  await thief.goto(address);
  await expect(thief.getByRole('main').getByRole('alert')).toContainText(
    /Authentication Error\s*Token exchange failed: /,
  );
  await elsewhere.close();
});
