import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, openSignedIn, signIn } from './sign-in.ts';

async function openProfile(page: Page, email: string): Promise<void> {
  await openSignedIn(page, '/dashboard?tab=profile', email);
  await expect(page.getByRole('region', { name: 'Profile', exact: true })).toContainText(email);
}

test('what is held about a person is exported as a file', async ({ page }) => {
  await openProfile(page, 'taking@souk.test');
  const heal = await failCalls(page, '**/export', { message: 'The archive rests.' });
  const button = page.getByRole('button', { name: 'Export my data', exact: true });
  await button.click();
  const region = page.getByRole('region', { name: 'Your data', exact: true });
  await expect(region.getByRole('alert')).toHaveText('Failed to export your data: The archive rests.');
  await heal();
  const download = page.waitForEvent('download');
  await button.click();
  const file = await download;
  expect(file.suggestedFilename()).toBe('souk-my-data.json');
  const text = await readFile(await file.path(), 'utf8');
  expect(JSON.parse(text)).toMatchObject({
    success: true,
    data: { profile: { email: 'taking@souk.test', displayName: 'taking' } },
  });
  await expect(region.getByRole('alert')).toHaveCount(0);
});

test('an account is deleted when its e-mail is typed, everywhere at once, and the address is free again', async ({
  page,
  browser,
  product,
}) => {
  const email = 'going@souk.test';
  const elsewhere = await browser.newContext({ baseURL: product.publicUrl });
  const other = await elsewhere.newPage();
  await openSignedIn(other, '/', email);
  await openProfile(page, email);

  await page.getByRole('button', { name: 'Delete account', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account?', exact: true });
  await expect(dialog).toContainText('This action cannot be undone.');
  const typed = dialog.getByLabel('Your e-mail');
  await typed.fill('somebody@souk.test');
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(typed).toHaveAttribute('aria-invalid', 'true');
  await expect(typed).toBeFocused();
  await expect(dialog).toContainText("This isn't the e-mail of your account.");
  await typed.fill(email.toUpperCase());
  const heal = await failCalls(page, '**/account', { message: 'A part of it rests.' });
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Failed to delete your account: A part of it rests.');
  await heal();
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await expect(accountMenu(page)).toHaveCount(0);
  await expect(page.getByText('Your account has been deleted.')).toBeVisible();
  await other.goto('/dashboard?tab=apps');
  await expect(other).toHaveURL(`${product.publicUrl}/`);
  await elsewhere.close();

  await signIn(page, email);
  await expect(accountMenu(page)).toBeVisible();
});
