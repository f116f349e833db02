import type { Page, Request } from '@playwright/test';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, chooseAccount, openSignedIn, signIn } from './sign-in.ts';

const signInButton = (page: Page) => page.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true });
const isSwap = (request: Request) => request.postData()?.includes('urn%3Asouk%3Agrant%3Ahandoff') === true;

/** Opens /auth/success with a ticket of a user who signed in elsewhere. Returns the ticket. */
async function arrive(page: Page, publicUrl: string, email: string, hint?: object): Promise<string> {
  const address = await new ScriptedBrowser(publicUrl).signIn('/auth/google?return_to=/auth/success', { email });
  if (hint) address.searchParams.set('user', JSON.stringify(hint));
  await page.goto(address.href);
  return address.searchParams.get('token') ?? '';
}

/** Signs in at the provider in this browser, by the address that ends at /auth/success. */
async function goStraight(page: Page, email: string): Promise<void> {
  await page.goto('/auth/google?return_to=/auth/success');
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

test('[SIGN-34] [SIGN-38] a ticket of another browser is removed from the address before any request, and signs in after one click', async ({
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
  const question = page.getByRole('region', { name: 'Continue as arriving@souk.test?', exact: true });
  await expect(question).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/auth/success`);
  expect(seen.filter((text) => text.includes(ticket))).toEqual([]);
  await expect(signInButton(page), 'not signed in yet').toBeVisible();
  await question.getByRole('button', { name: 'Continue as arriving@souk.test', exact: true }).click();
  await expect(accountMenu(page)).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/dashboard`);
  await page.goBack();
  await expect(page, 'nor in the history').not.toHaveURL(new RegExp(ticket));
});

test('[SIGN-38] "Not me" signs no user in, and a signed-in user stays signed in', async ({ page, product }) => {
  await arrive(page, product.publicUrl, 'mallory@souk.test');
  await page.getByRole('button', { name: 'Not me', exact: true }).click();
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await expect(signInButton(page)).toBeVisible();

  await signIn(page, 'carl@souk.test');
  await arrive(page, product.publicUrl, 'mallory@souk.test');
  await expect(page.getByRole('region', { name: 'Continue as mallory@souk.test?', exact: true })).toContainText(
    'carl@souk.test',
  );
  await page.getByRole('button', { name: 'Not me', exact: true }).click();
  await page.reload();
  await expect(accountMenu(page)).toContainText('Carl Coder');
});

test('[SIGN-36] [SIGN-37] a hint that names another user than the profile is an Authentication Error', async ({
  page,
  product,
}) => {
  await arrive(page, product.publicUrl, 'mallory@souk.test', { email: 'admin@souk.test', role: 'admin' });
  const alert = page.getByRole('main').getByRole('alert');
  await expect(alert).toContainText('Authentication Error');
  await expect(signInButton(page)).toBeVisible();
  await page.getByRole('link', { name: 'Return to Home', exact: true }).click();
  await page.reload();
  await expect(signInButton(page)).toBeVisible();
});

test('[SIGN-38] a sign-in that another site opened in a window does not confirm a ticket', async ({
  page,
  product,
}) => {
  await page.goto('/');
  const opening = page.waitForEvent('popup');
  await page.evaluate(() => void window.open('/sign-in?return_to=/'));
  const popup = await opening;
  await expect(popup.getByRole('button', { name: /Continue with Google/ })).toBeVisible();
  await arrive(popup, product.publicUrl, 'mallory@souk.test');
  await expect(popup.getByRole('region', { name: 'Continue as mallory@souk.test?', exact: true })).toBeVisible();
  await expect(signInButton(popup)).toBeVisible();
});

test('[SIGN-38] a sign-in that was given up does not confirm a ticket', async ({ page, product }) => {
  await page.goto('/service/notes');
  await signInButton(page).click();
  await page.getByRole('button', { name: /Continue with Google/ }).click();
  await expect(page.getByLabel('E-mail address')).toBeVisible();
  await arrive(page, product.publicUrl, 'mallory@souk.test');
  await expect(page.getByRole('region', { name: 'Continue as mallory@souk.test?', exact: true })).toBeVisible();
  await expect(signInButton(page)).toBeVisible();

  await goStraight(page, 'own@souk.test');
  await expect(accountMenu(page), "the unanswered question does not block the user's own sign-in").toContainText('own');
});

test('"yes" while another user is signed in asks for the account again, and signs in the chosen one', async ({
  page,
  product,
}) => {
  await openSignedIn(page, '/', 'bea@souk.test');
  await arrive(page, product.publicUrl, 'carl@souk.test');
  await page.getByRole('button', { name: 'Continue as carl@souk.test', exact: true }).click();
  await chooseAccount(page, 'carl@souk.test');
  await expect(accountMenu(page)).toContainText('Carl Coder');
  await page.reload();
  await expect(accountMenu(page)).toContainText('Carl Coder');
});

test('[SIGN-28] [SIGN-39] a ticket of this browser signs in and returns to where the sign-in began', async ({
  page,
  product,
}) => {
  await page.goto('/service/notes');
  await signInButton(page).click();
  await expect(page.getByRole('button', { name: /Continue with Google/ })).toBeVisible();
  await goStraight(page, 'waiting@souk.test');
  await expect(accountMenu(page)).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/service/notes`);
});

test('[GEN-22] [SIGN-10] [SIGN-32] /auth/success directly after the provider asks nothing, and the ticket is valid for one browser', async ({
  page,
  browser,
  product,
}) => {
  const arrival = page.waitForRequest((request) => new URL(request.url()).pathname === '/auth/success');
  await goStraight(page, 'straight@souk.test');
  const address = (await arrival).url();
  await expect(accountMenu(page)).toBeVisible();
  await expect(page).toHaveURL(`${product.publicUrl}/dashboard`);
  await page.reload();
  await expect(accountMenu(page), 'the cookie was set with it').toBeVisible();

  const elsewhere = await browser.newContext({ baseURL: product.publicUrl });
  const thief = await elsewhere.newPage();
  await thief.goto(address);
  await expect(thief.getByRole('main').getByRole('alert')).toContainText(
    /Authentication Error\s*Token exchange failed: /,
  );
  await elsewhere.close();
});
