import type { Page } from '@playwright/test';
import { newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { openScreen } from './open-screen.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

const screens = [
  '/',
  '/marketplace',
  '/marketplace?view=live',
  '/service/travel',
  '/plans',
  '/about',
  '/contact',
  '/nowhere',
];

/** What has the focus, and whether a person sees that it has. Undefined when Tab has left the page. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const element = document.activeElement;
    if (!element || element === document.body) return undefined;
    const { width, height, top, bottom } = element.getBoundingClientRect();
    // the link of a card is drawn around the whole card; a group of controls may draw it for the one in it
    const drawn = [
      getComputedStyle(element),
      getComputedStyle(element, '::after'),
      getComputedStyle(element.parentElement ?? element),
    ];
    const marked = drawn.some(({ outlineStyle, outlineWidth, boxShadow }) => {
      return (outlineStyle !== 'none' && parseFloat(outlineWidth) > 0) || (boxShadow !== 'none' && boxShadow !== '');
    });
    const inSight = width > 0 && height > 0 && bottom > 0 && top < window.innerHeight;
    return { what: element.outerHTML.slice(0, 160), marked, inSight };
  });

/** Tab through the whole page. @returns what had the focus without showing it, and how many things had it */
async function walk(page: Page): Promise<{ stops: number; hidden: string[] }> {
  const hidden: string[] = [];
  for (let stops = 0; stops < 150; stops += 1) {
    await page.keyboard.press('Tab');
    const at = await focused(page);
    if (at === undefined) return { stops, hidden };
    if (!at.marked || !at.inSight) hidden.push(`${at.marked ? 'out of sight' : 'unmarked'}: ${at.what}`);
  }
  throw new Error('Tab never leaves the page');
}

/** Opens a screen with all parts that it loads after its head: one that comes later would push the focus out of sight. */
async function openWhole(page: Page, path: string): Promise<void> {
  await openScreen(page, path);
  await page.waitForLoadState('networkidle');
  await expect(page.locator('.animate-pulse')).toHaveCount(0);
}

/** Chosen tabs, in whichever row of tabs, of which a part is not to be seen. */
const hiddenTabs = (page: Page) =>
  page.getByRole('tab', { selected: true }).evaluateAll((tabs) =>
    tabs.flatMap((tab) => {
      const [at, row] = [tab.getBoundingClientRect(), tab.parentElement?.getBoundingClientRect()];
      const isSeen = row !== undefined && at.left >= row.left - 1 && at.right <= row.right + 1;
      return isSeen ? [] : [tab.textContent];
    }),
  );

async function expectNoOverflow(page: Page, name: string): Promise<void> {
  // half of 1280 is what a zoom of 200 % leaves
  for (const width of [640, 320]) {
    await page.setViewportSize({ width, height: 700 });
    expect(await page.evaluate('document.documentElement.scrollWidth'), `${name} at ${width}`).toBe(width);
    await expect.poll(() => hiddenTabs(page), `tabs of ${name} at ${width}`).toEqual([]);
  }
  await page.setViewportSize({ width: 1280, height: 720 });
}

test.use({ reducedMotion: 'reduce' });

test('by keyboard every screen is walked from end to end with the focus in sight, and none overflows at 200 % or 320 px', async ({
  page,
}) => {
  for (const path of screens) {
    await openWhole(page, path);
    const { stops, hidden } = await walk(page);
    expect(hidden, path).toEqual([]);
    expect(stops, path).toBeGreaterThan(8);
    await expectNoOverflow(page, path);
  }
});

test('by keyboard the administrator area is walked with the focus in sight, and none of it overflows', async ({
  page,
  product,
}) => {
  await openSignedIn(page, '/admin', 'admin@souk.test');
  const ofServer = '/admin?tab=manifests&id=travel-pro&part=';
  // the editor takes Tab until Escape: it has a journey of its own
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
    const { stops, hidden } = await walk(page);
    expect(hidden, path).toEqual([]);
    expect(stops, path).toBeGreaterThan(8);
    await expectNoOverflow(page, path);
  }
  await openScreen(page, `${ofServer}manifest`);
  await expectNoOverflow(page, 'manifest');
});

test('a screen that fails stands in the frame, is walked by keyboard, and axe finds nothing on it', async ({
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

test('the filters of a phone and the palette give the focus back; the palette does not overflow', async ({ page }) => {
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

test('axe finds nothing in the administrator area, in both themes', async ({ page }) => {
  await openSignedIn(page, '/admin', 'admin@souk.test');
  await expect(page.getByRole('row', { name: /^Travel 1/ })).toBeVisible();
  await expectNoAxeFindings(page);
});
