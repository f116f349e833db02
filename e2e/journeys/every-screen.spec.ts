import type { Page } from '@playwright/test';
import { newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { openScreen } from './open-screen.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

/** Screens that a visitor can open. Those with a title are walked completely; the others have the same parts. */
const screens: [path: string, title?: string][] = [
  ['/', 'One-click AI upgrade'],
  ['/marketplace', 'All MCP Servers'],
  ['/marketplace?view=live', 'Live MCP Servers'],
  ['/marketplace?q=zeppelin'],
  ['/search'],
  ['/service/travel', 'Travel'],
  ['/service/everything'],
  ['/service/nobody'],
  ['/plans', 'Choose Your Plan'],
  ['/about', 'Instant MCP Tools for Everyone'],
  ['/contact', 'Contact'],
  ['/terms'],
  ['/payment/result'],
  ['/nowhere', 'Page not found'],
  ['/auth/callback'],
  ['/auth/success'],
  ['/auth-shim'],
  ['/sign-in'],
];

declare global {
  interface Window {
    walked: { stops: number; hidden: string[]; isOver: boolean };
  }
}

/** At each Tab, before the focus moves on, the page notes the focused element and whether its focus is visible. */
function noteFocus(): void {
  const at: Window['walked'] = { stops: 0, hidden: [], isOver: false };
  window.walked = at;
  let isBegun = false;
  const look = () => {
    const element = document.activeElement;
    if (at.isOver) return;
    if (!isBegun) return void (isBegun = true);
    // Tab has left the page
    if (!element || element === document.body) return void (at.isOver = true);
    at.stops += 1;
    const { width, height, top, bottom } = element.getBoundingClientRect();
    // the link of a card is outlined around the whole card; a group of controls may show the outline for its focused
    // control
    const drawn = [
      getComputedStyle(element),
      getComputedStyle(element, '::after'),
      getComputedStyle(element.parentElement ?? element),
    ];
    const isMarked = drawn.some(({ outlineStyle, outlineWidth, boxShadow }) => {
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || (boxShadow !== 'none' && boxShadow !== '');
    });
    const isInSight = width > 0 && height > 0 && bottom > 0 && top < window.innerHeight;
    const what = element.outerHTML.slice(0, 160);
    if (!isMarked || !isInSight) at.hidden.push(`${isMarked ? 'out of sight' : 'unmarked'}: ${what}`);
  };
  window.addEventListener('keydown', ({ key }) => key === 'Tab' && look(), { capture: true });
}

/**
 * Walks the whole page with Tab, once for each document.
 * @returns the elements that had the focus without showing it, and the number of stops
 */
async function walk(page: Page): Promise<{ stops: number; hidden: string[] }> {
  await page.evaluate(noteFocus);
  for (let presses = 1; presses <= 160; presses += 1) {
    await page.keyboard.press('Tab');
    if (presses % 8 > 0) continue;
    const walked = await page.evaluate(() => window.walked);
    if (walked.isOver) return walked;
  }
  throw new Error('Tab never leaves the page');
}

/** Opens a screen with all parts that load after its first content: a late part would push the focus out of view. */
async function openWhole(page: Page, path: string): Promise<void> {
  await openScreen(page, path);
  await page.waitForLoadState('networkidle');
  await expect(page.locator('.animate-pulse')).toHaveCount(0);
}

/** Selected tabs, in any row of tabs, that are not fully visible. */
const hiddenTabs = (page: Page) =>
  page.getByRole('tab', { selected: true }).evaluateAll((tabs) =>
    tabs.flatMap((tab) => {
      const [at, row] = [tab.getBoundingClientRect(), tab.parentElement?.getBoundingClientRect()];
      const isSeen = row !== undefined && at.left >= row.left - 1 && at.right <= row.right + 1;
      return isSeen ? [] : [tab.textContent];
    }),
  );

/** @param widths half of 1280 px is what remains at a zoom of 200 % */
async function expectNoOverflow(page: Page, name: string, widths = [640, 320]): Promise<void> {
  for (const width of widths) {
    await page.setViewportSize({ width, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} at ${width}`).toBe(width);
    await expect.poll(() => hiddenTabs(page), `tabs of ${name} at ${width}`).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
}

test.use({ reducedMotion: 'reduce' });

test('[GEN-4] [GEN-14] [GEN-26] [INFO-15] a visitor can open every public screen under the header; it can be walked by keyboard with a visible focus, overflows nowhere, and axe finds nothing', async ({
  page,
}) => {
  const header = page.getByRole('banner');
  const asked = new Set<string>();
  page.on('request', (request) => asked.add(new URL(request.url()).pathname));
  const ruled = page.locator(':is(input, textarea):is([minlength], [maxlength], [pattern], [required])');
  for (const [path, title] of screens) {
    await openWhole(page, path);
    await expect(header.getByRole('link', { name: 'Souk', exact: true }), path).toBeVisible();
    await expect(header.getByRole('button', { name: 'Sign In', exact: true }), path).toBeVisible();
    await expect(ruled, `fields of ${path} with a length limit`).toHaveCount(0);
    await expectNoAxeFindings(page);
    await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
    if (title) {
      await expect(page.getByRole('heading', { level: 1, name: title, exact: true })).toBeVisible();
      expect(page.url().endsWith(path), path).toBe(true);
      const { stops, hidden } = await walk(page);
      expect(hidden, path).toEqual([]);
      expect(stops, path).toBeGreaterThan(8);
    }
    await expectNoOverflow(page, path, [640, 390, 320]);
  }
  expect([...asked]).toContain('/api/catalogue/servers');
  const ofAll = [...asked].filter((path) => /^\/mcp\/(capabilities|tools|prompts|resources)$/.test(path));
  expect(ofAll, 'no screen of the shop requests all capabilities').toEqual([]);
});

test('the administrator area can be walked by keyboard with a visible focus, overflows nowhere, and axe finds nothing', async ({
  page,
  product,
}) => {
  await openSignedIn(page, '/admin', 'admin@souk.test');
  const ofServer = '/admin?tab=manifests&id=travel-pro&part=';
  // the editor captures Tab until Escape: a separate journey covers it
  const parts = ['overview', 'changes', 'tools', 'test', 'secrets', 'money'].map((part) => `${ofServer}${part}`);
  const person = await newPerson(product.publicUrl, 'walked@souk.test');
  const tabs = ['users', 'overview', 'offers', 'offers&offer=basic', 'audit', 'allowed', 'system'];
  const ofPerson = ['profile', 'access', 'credits', 'payments', 'calls', 'apps', 'sign-ins', 'audit'];
  const paths = [
    '/admin',
    ...tabs.map((tab) => `/admin?tab=${tab}`),
    ...ofPerson.map((part) => `/admin?tab=users&user=${person}&part=${part}`),
    ...parts,
    '/admin?import=text',
    '/admin?import=registry',
    '/admin?import=updates',
  ];
  for (const path of paths) {
    await openWhole(page, path);
    if (path === '/admin') {
      await expect(page.getByRole('row', { name: /^Travel 1/ })).toBeVisible();
      await expectNoAxeFindings(page);
    }
    const { stops, hidden } = await walk(page);
    expect(hidden, path).toEqual([]);
    expect(stops, path).toBeGreaterThan(8);
    await expectNoOverflow(page, path);
  }
  await openScreen(page, `${ofServer}manifest`);
  await expectNoOverflow(page, 'manifest');
});

test('a screen that fails is shown in the frame, can be walked by keyboard, and axe finds nothing on it', async ({
  page,
}) => {
  await routeNow(page, /\/assets\/about-screen-.*\.js$/, (route) => route.abort());
  await page.goto('/about');
  const fallback = page.getByRole('main').getByRole('alert');
  await expect(fallback.getByRole('heading', { name: 'Unexpected Application Error!', exact: true })).toBeVisible();
  await expect(page.getByRole('banner').getByRole('link', { name: 'Marketplace', exact: true })).toBeVisible();
  expect((await walk(page)).hidden).toEqual([]);
  await expectNoOverflow(page, 'error');
  await expectNoAxeFindings(page);
  await page.getByRole('main').getByRole('link', { name: 'Back to Home', exact: true }).press('Enter');
  await expect(page).toHaveURL(/\/$/);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('One-click AI upgrade');
});

test('the filters on a phone and the palette return the focus; the palette does not overflow', async ({ page }) => {
  await openScreen(page, '/marketplace');
  await page.setViewportSize({ width: 320, height: 700 });
  const filter = page.getByRole('button', { name: 'Filter', exact: true });
  await filter.focus();
  await page.keyboard.press('Enter');
  await expect(page.getByRole('dialog', { name: 'Filter and sort', exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  await expect(filter).toBeFocused();
  await page.keyboard.press('Control+k');
  const palette = page.getByRole('dialog', { name: 'Search services, tools and screens', exact: true });
  await expect(palette.getByRole('option').first()).toBeVisible();
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  await expectNoAxeFindings(page);
  await page.keyboard.press('Escape');
  await expect(filter).toBeFocused();
});
