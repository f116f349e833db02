import type { Locator, Page } from '@playwright/test';

export const cardsOf = (page: Page): Locator => page.getByRole('main').getByRole('article');
export const namesOn = (page: Page): Locator => cardsOf(page).getByRole('heading', { level: 3 });
export const cardOf = (page: Page, name: string): Locator =>
  cardsOf(page).filter({ has: page.getByRole('heading', { name, exact: true }) });
export const titleOf = (page: Page): Locator => page.getByRole('heading', { level: 1 });
