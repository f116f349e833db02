import { chromium, type Page } from '@playwright/test';
import { browserArguments, browserPath } from '../../e2e/browser.ts';
import { openSignedIn } from '../../e2e/journeys/sign-in.ts';
import { median, rounded } from '../report/statistics.ts';
import { planId } from './seed-money.ts';

export type ScreenResult = { screen: string; ms: number; worstMs: number };

const server = '/admin?tab=manifests&id=server-10';

type Screen = { path: string; data: (page: Page) => ReturnType<Page['locator']> };

const firstRow = (page: Page) => page.getByRole('row').nth(1);

/** Returns the address of each screen, and an element that shows its first data. */
const screensOf = (personId: string): Readonly<Record<string, Screen>> => ({
  'Broker Manifests': { path: '/admin', data: firstRow },
  'Broker Manifests, a search': {
    path: '/admin?q=server+4999',
    data: (page) => page.getByRole('row').filter({ hasText: 'Server 4999' }),
  },
  'User Management': { path: '/admin?tab=users', data: firstRow },
  'User Management, all searched': {
    path: '/admin?tab=users&all=user41999@',
    data: (page) => page.getByRole('row').filter({ hasText: 'user41999@' }),
  },
  Overview: { path: '/admin?tab=overview', data: (page) => page.getByText('People who made calls') },
  'a server, Overview': { path: server, data: (page) => page.getByText('People who called it') },
  'a server, Manifest': {
    path: `${server}&part=manifest`,
    data: (page) => page.getByRole('textbox', { name: /^Manifest of / }),
  },
  'a server, Changes': { path: `${server}&part=changes`, data: firstRow },
  'a server, Tools': { path: `${server}&part=tools`, data: firstRow },
  'a server, Money': { path: `${server}&part=money`, data: (page) => page.getByText('Not for rent') },
  ...Object.fromEntries(
    ['credits', 'payments', 'calls', 'sign-ins', 'audit'].map((part) => [
      `a person, ${part}`,
      { path: `/admin?tab=users&user=${personId}&part=${part}`, data: firstRow },
    ]),
  ),
  'a person, access': {
    path: `/admin?tab=users&user=${personId}&part=access`,
    data: (page) => page.getByRole('region', { name: 'Access', exact: true }),
  },
  Offers: { path: '/admin?tab=offers', data: firstRow },
  'an offer': {
    path: `/admin?tab=offers&offer=${planId}`,
    data: (page) => page.getByRole('list', { name: 'Subscribers by price' }),
  },
  'Audit Log': { path: '/admin?tab=audit', data: firstRow },
  'Allow List': {
    path: '/admin?tab=allowed',
    data: (page) => page.getByRole('heading', { name: 'Private addresses' }),
  },
  System: { path: '/admin?tab=system', data: firstRow },
});

/**
 * Measures in each round how long each administrator screen takes from navigation to its first data. The browser has cached the
 * web app, as on every visit but the first.
 */
export async function measureScreens(publicUrl: string, personId: string, rounds: number): Promise<ScreenResult[]> {
  const screens = screensOf(personId);
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
        // the first round fills the cache
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
