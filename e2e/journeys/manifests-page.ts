import type { Page } from '@playwright/test';
import { administrator } from './administrator-calls.ts';
import { openSignedIn } from './sign-in.ts';

// The tab 'Broker Manifests' of the administrator area, for its journeys.

/** Opens the tab as the administrator. */
export const openManifests = (page: Page, query = '') => openSignedIn(page, `/admin${query}`, administrator);

/** A manifest that this installation accepts. */
export const manifest = (change: Record<string, unknown> = {}) => ({
  id: 'atlas',
  name: 'Atlas',
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'Maps of the old world.',
  category: 'data',
  connection: { type: 'http', url: 'service:travel' },
  ...change,
});
/** The same manifest as text, as a user writes it. */
export const written = (change?: Record<string, unknown>) => JSON.stringify(manifest(change), null, 2);

export const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
export const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
export const panelOf = (page: Page) => page.getByRole('region', { name: 'Upload Manifest', exact: true });

/** Opens the text field, and fills it in. */
export async function paste(page: Page, text: string): Promise<void> {
  await button(page, 'Paste JSON Text').click();
  await page.getByLabel('Manifest JSON').fill(text);
}
