import { expect, type Page } from '@playwright/test';

/**
 * Signs in as a person does: the header's button, the choice of Google, an address typed into its stand-in.
 * Starts on any screen with the header, and is back there when it returns.
 */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign In' }).click();
  await chooseAccount(page, email);
  await expect(accountMenu(page)).toBeVisible();
}

/** The broker's own pages of a sign-in: Google, then an account. */
export async function chooseAccount(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: /Continue with Google/ }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

/** The button that stands in the header when somebody is signed in. */
export function accountMenu(page: Page) {
  return page.getByRole('banner').getByRole('button', { name: /^Account of/ });
}
