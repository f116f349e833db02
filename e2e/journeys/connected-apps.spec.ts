import type { Page } from '@playwright/test';
import { connectBySignIn } from '../oauth-client.ts';
import { failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, openSignedIn } from './sign-in.ts';

async function openApps(page: Page, email: string): Promise<void> {
  await openSignedIn(page, '/dashboard?tab=apps', email);
  await expect(page.getByRole('heading', { name: 'Browsers', exact: true })).toBeVisible();
}

test('an allowed client is listed with what it can use, and refused once it is disconnected', async ({
  page,
  product,
}) => {
  const email = 'apps@souk.test';
  const { client } = await connectBySignIn(`${product.publicUrl}/s/travel/mcp`, email, 'modern');
  const call = () => client.callTool({ name: 'find_airports', arguments: { query: 'Geneva' } });
  await call();
  await openApps(page, email);
  const app = page.getByRole('list', { name: 'Your connected apps', exact: true }).getByRole('listitem');
  await expect(app).toHaveCount(1);
  for (const fact of [
    'Test client 1.0',
    'Unverified application',
    '127.0.0.1:53682',
    "Can use Travel's tools, prompts and resources.",
  ]) {
    await expect(app).toContainText(fact);
  }

  const heal = await failCalls(page, '**/connected-apps/*', { message: 'The store rests.' });
  await app.getByRole('button', { name: 'Disconnect Test client 1.0', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Disconnect “Test client 1.0”?', exact: true });
  await question.getByRole('button', { name: 'Disconnect', exact: true }).click();
  await expect(question.getByRole('alert')).toContainText('Failed to disconnect: The store rests.');
  await call();
  await heal();
  await question.getByRole('button', { name: 'Disconnect', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No connected apps', exact: true })).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Connected apps', exact: true })).toBeFocused();
  await expect(call()).rejects.toThrow();
  await client.close();
});

test('another browser is signed out from here, is not listed once another user signs in there, and "everywhere" includes this one', async ({
  page,
  browser,
  product,
}) => {
  const email = 'browsers@souk.test';
  const elsewhere = await browser.newContext({ baseURL: product.publicUrl });
  const other = await elsewhere.newPage();
  const signInThere = () => openSignedIn(other, '/', email);
  await signInThere();
  await openApps(page, email);
  const browsers = page.getByRole('list', { name: 'Browsers that are signed in', exact: true }).getByRole('listitem');
  await expect(browsers).toHaveCount(2);
  await expect(browsers.filter({ hasText: 'This browser' }).getByRole('button')).toHaveCount(0);
  await expect(browsers).toContainText([/^Chrome on /, /^Chrome on /]);
  await browsers.getByRole('button', { name: 'Sign out', exact: true }).click();
  await expect(browsers).toHaveCount(1);
  await other.goto('/dashboard?tab=apps');
  await expect(other, 'its next call signs it out').toHaveURL(`${product.publicUrl}/`);

  await signInThere();
  await page.reload();
  await expect(browsers).toHaveCount(2);
  // another user signs in there, and it is no longer hers
  await other.goto('/auth/google?return_to=/auth/success');
  await other.getByLabel('E-mail address').fill('second@souk.test');
  await other.getByRole('button', { name: 'Continue', exact: true }).click();
  await expect(accountMenu(other)).toContainText('second');
  await page.reload();
  await expect(browsers).toHaveCount(1);
  await expect(browsers).toContainText('This browser');

  await accountMenu(other).click();
  await other.getByRole('menuitem', { name: 'Sign Out', exact: true }).click();
  await signInThere();
  await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await expect(accountMenu(page)).toHaveCount(0);
  await other.goto('/dashboard?tab=apps');
  await expect(other).toHaveURL(`${product.publicUrl}/`);
  await elsewhere.close();
});

test('connected apps that fail to load can be requested again', async ({ page }) => {
  await openSignedIn(page, '/', 'noapps@souk.test');
  const heal = await failCalls(page, '**/connected-apps', { message: 'The store rests.' });
  await page.goto('/dashboard?tab=apps');
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to load connected apps' })).toContainText(
    'The store rests.',
  );
  await heal();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No connected apps', exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Show the link', exact: true }).click();
  await expect(page.getByLabel('Your link', { exact: true })).toBeVisible();
});
