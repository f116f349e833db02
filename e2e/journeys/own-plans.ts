import type { Locator, Page } from '@playwright/test';
import { expect } from './product-test.ts';

export const planOf = (page: Page, name: string) => page.getByRole('article', { name: `${name} plan`, exact: true });
export const subscriptions = (page: Page) =>
  page.getByRole('region', { name: 'Active System Subscriptions', exact: true });
export const credits = (page: Page) => page.getByRole('region', { name: 'Credits', exact: true });
export const question = (page: Page) => page.getByRole('alertdialog');

/** Pattern of a date, for regular expressions. */
export const day = '[A-Z][a-z]{2} \\d{1,2}, \\d{4}';

/** Expects that a text opens in a new tab, so that the dialog stays open with its choice. */
export async function expectInNewTab(link: Locator, name: string): Promise<void> {
  await expect(link).toHaveAttribute('href', `/${name.toLowerCase()}`);
  await expect(link).toHaveAttribute('target', '_blank');
}

export const expectLegalLinks = async (dialog: Locator) => {
  for (const name of ['Terms', 'Refunds'])
    await expectInNewTab(dialog.getByRole('link', { name: `${name} (opens a new tab)`, exact: true }), name);
};
