import type { Page } from '@playwright/test';
import { expect } from './product-test.ts';

/** Opens a screen and waits until its content has loaded. */
export async function openScreen(page: Page, path: string): Promise<void> {
  await page.goto(path);
  // the summary that the broker sends, until the web app replaces it
  await expect(page.locator('[data-shell]')).toHaveCount(0);
  await expect(page.getByRole('heading', { level: 1 })).toBeAttached();
  await expect(page.getByRole('status').filter({ hasText: /^(Loading|Restoring|Signing)/ })).toHaveCount(0);
}
