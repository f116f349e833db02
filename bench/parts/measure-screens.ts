import { chromium, type Page } from '@playwright/test';
import { browserArguments, browserPath } from '../../e2e/browser.ts';
import { openSignedIn } from '../../e2e/journeys/sign-in.ts';
import { median, rounded } from '../statistics.ts';

export type ScreenResult = { screen: string; ms: number; worstMs: number };

const server = '/admin?tab=manifests&id=server-10';

/** Each screen's address, and what stands there once its first data has come. */
const screens: Readonly<Record<string, { path: string; data: (page: Page) => ReturnType<Page['locator']> }>> = {
  'Broker Manifests': { path: '/admin', data: (page) => page.getByRole('row').nth(1) },
  'Broker Manifests, a search': {
    path: '/admin?q=server+4999',
    data: (page) => page.getByRole('row').filter({ hasText: 'Server 4999' }),
  },
  'User Management': { path: '/admin?tab=users', data: (page) => page.getByRole('row').nth(1) },
  'User Management, all searched': {
    path: '/admin?tab=users&all=user41999@',
    data: (page) => page.getByRole('row').filter({ hasText: 'user41999@' }),
  },
  'a server, Overview': { path: server, data: (page) => page.getByText('People who called it') },
  'a server, Manifest': {
    path: `${server}&part=manifest`,
    data: (page) => page.getByRole('textbox', { name: /^Manifest of / }),
  },
  'a server, Changes': { path: `${server}&part=changes`, data: (page) => page.getByRole('row').nth(1) },
  'a server, Tools': { path: `${server}&part=tools`, data: (page) => page.getByRole('row').nth(1) },
  'a server, Money': { path: `${server}&part=money`, data: (page) => page.getByText('Not for rent') },
};

/**
 * Opens each screen of the administrator area in a browser, in each round, from the address to its first data. The browser has
 * the program in its cache, as it has at every visit but the first.
 */
export async function measureScreens(publicUrl: string, rounds: number): Promise<ScreenResult[]> {
  const browser = await chromium.launch({ executablePath: await browserPath(), args: browserArguments });
  try {
    const context = await browser.newContext({ baseURL: publicUrl, viewport: { width: 1280, height: 900 } });
    const page = await context.newPage();
    await openSignedIn(page, '/admin', 'admin@souk.test');
    const taken = new Map<string, number[]>(Object.keys(screens).map((screen) => [screen, []]));
    for (let round = 0; round <= rounds; round++)
      for (const [screen, { path, data }] of Object.entries(screens)) {
        await page.goto('about:blank');
        const startedAt = performance.now();
        await page.goto(path, { waitUntil: 'commit' });
        await data(page).first().waitFor();
        // the first one fills the cache
        if (round > 0) taken.get(screen)?.push(performance.now() - startedAt);
      }
    return Array.from(taken, ([screen, all]) => ({
      screen,
      ms: rounded(median(all)),
      worstMs: rounded(Math.max(...all)),
    }));
  } finally {
    await browser.close();
  }
}
