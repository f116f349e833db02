import type { Browser, Page } from '@playwright/test';
import { administrator } from './administrator-calls.ts';
import { openSignedIn } from './sign-in.ts';

// The tab 'User Management' of the administrator area, for its journeys.

export const openUsers = (page: Page, query = '') => openSignedIn(page, `/admin?tab=users${query}`, administrator);
export const rowOf = (page: Page, email: string) => page.getByRole('row').filter({ hasText: email });
export const act = (page: Page, action: string, email: string) =>
  page.getByRole('button', { name: `${action}: ${email}`, exact: true });
export const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name, exact: true });
export const warningOf = (page: Page, name: string) => page.getByRole('alertdialog', { name, exact: true });

/** Opens a screen as another user, in a separate browser. */
export async function asPerson(browser: Browser, baseURL: string, email: string, path: string): Promise<Page> {
  const page = await (await browser.newContext({ baseURL })).newPage();
  await openSignedIn(page, path, email);
  return page;
}

/** Collects the bodies of calls that change something, as they are sent. */
export function writesOf(page: Page): { call: string; body: unknown }[] {
  const writes: { call: string; body: unknown }[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() === 'GET' || !pathname.startsWith('/admin/')) return;
    const call = `${request.method()} ${pathname.replaceAll(/[0-9a-f-]{36}/g, ':id')}`;
    writes.push({ call, body: request.postDataJSON() });
  });
  return writes;
}
