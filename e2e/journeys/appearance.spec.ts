import type { Locator, Page } from '@playwright/test';
import { administrator, administratorCalls, erasePerson, newPerson } from './administrator-calls.ts';
import { axeFindingsInBothThemes } from './axe-findings.ts';
import { cataloguePath, changeCatalogue, failCalls } from './catalogue-answer.ts';
import { consentAddress } from './consent-address.ts';
import { openScreen } from './open-screen.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, openSignedIn } from './sign-in.ts';

/** Returns axe's findings in both themes; the page is in the light one before and after. */
async function findProblems(page: Page): Promise<string[]> {
  const found = await axeFindingsInBothThemes(page);
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  return found.map((finding) => `${page.url()} ${finding}`);
}

/** Opens the broker's own page that asks whether an application may act for the user. */
async function openConsent(page: Page, publicUrl: string): Promise<void> {
  await page.goto(await consentAddress(publicUrl));
  await expect(page.getByRole('button', { name: 'Allow', exact: true })).toBeVisible();
}

test('axe finds nothing on expanded parts of the public screens, on every status and on a failed load, in both themes', async ({
  page,
}) => {
  await page.goto('/service/travel');
  await page.getByText('find_airports', { exact: true }).first().click();
  expect(await findProblems(page), 'parameters expanded').toEqual([]);
  await page.goto('/');
  await page.getByRole('button', { name: 'What is an MCP server?', exact: true }).click();
  expect(await findProblems(page), 'a question open').toEqual([]);
  await changeCatalogue(page, (catalogue) => ({
    ...catalogue,
    servers: catalogue.servers.map((server, place) => ({
      ...server,
      status: (['connected', 'disconnected', 'error'] as const)[place % 3] ?? 'error',
    })),
  }));
  await openScreen(page, '/marketplace');
  expect(await findProblems(page), 'every status').toEqual([]);
  await failCalls(page, cataloguePath, { message: 'The stall is closed.' });
  await page.goto('/marketplace');
  await expect(page.getByRole('button', { name: 'Retry', exact: true })).toBeVisible();
  expect(await findProblems(page), 'a failed load').toEqual([]);
});

test('axe finds nothing on the dashboard and its dialogs, in both themes', async ({ page }) => {
  await openSignedIn(page, '/dashboard', 'axe@souk.test');
  await accountMenu(page).click();
  await expect(page.getByRole('menu')).toBeVisible();
  expect(await findProblems(page), 'the account menu').toEqual([]);
  await page.getByRole('menuitem', { name: 'Dashboard', exact: true }).click();
  for (const [tab, shown] of [
    ['Profile', 'Profile'],
    ['Connections', 'No connection attempts yet'],
    ['Connected apps', 'Browsers'],
    ['Access tokens', 'No access tokens'],
  ] as const) {
    await page.getByRole('tab', { name: tab, exact: true }).click();
    await expect(page.getByRole('heading', { name: shown, exact: true })).toBeVisible();
    expect(await findProblems(page), `the dashboard: ${tab}`).toEqual([]);
  }

  await page.getByRole('button', { name: 'Create token', exact: true }).click();
  const form = page.getByRole('dialog');
  await form.getByRole('button', { name: 'Create token', exact: true }).click();
  await expect(form.getByText('Give the token a name.')).toBeVisible();
  expect(await findProblems(page), 'the form with an error').toEqual([]);
  await form.getByLabel('Name').fill('Axe');
  await form.getByRole('button', { name: 'Create token', exact: true }).click();
  const shown = page.getByRole('alertdialog');
  await expect(shown).toBeVisible();
  await expect(form).toHaveCount(0);
  expect(await findProblems(page), 'the token shown once').toEqual([]);
  await shown.getByRole('button', { name: 'Done', exact: true }).click();
  await page.getByRole('button', { name: 'Revoke Axe', exact: true }).click();
  await expect(shown.getByRole('button', { name: 'Revoke token', exact: true })).toBeVisible();
  expect(await findProblems(page), 'the question before a revocation').toEqual([]);
});

/** Returns the WCAG 2.2 contrast ratio of two colors as the browser computes them ("rgb(…)"). */
function contrastOf(one: string, other: string): number {
  const luminance = (colour: string) => {
    const [red = 0, green = 0, blue = 0] = (colour.match(/[\d.]+/g) ?? []).map((part) => {
      const share = Number(part) / 255;
      return share <= 0.03928 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

test('the tick of Copied has contrast on its button, in both themes', async ({ page, context }) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openScreen(page, '/');
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    const button = page
      .getByRole('button', { name: 'Copy The link', exact: true })
      .or(page.getByRole('button', { name: 'Copied', exact: true }));
    await button.first().click();
    const copied = page.getByRole('button', { name: 'Copied', exact: true });
    await expect(copied).toBeVisible();
    const [tick, ground] = await copied.evaluate((element) => {
      const icon = element.querySelector('svg') ?? element;
      return [getComputedStyle(icon).stroke, getComputedStyle(element).backgroundColor];
    });
    expect(contrastOf(tick ?? '', ground ?? ''), colorScheme).toBeGreaterThan(4.5);
  }
});

test('in forced colors the current page in the header and the chosen tab stand out, and a switch that is on differs from one that is off', async ({
  page,
  product,
}) => {
  await page.emulateMedia({ forcedColors: 'active' });
  await openConsent(page, product.publicUrl);
  await expect(page.getByText(/^Unverified application/), 'a warning has its box').toHaveCSS(
    'border-top',
    /^1px solid rgb/,
  );
  await openSignedIn(page, '/dashboard', 'forced@souk.test');
  const linkOf = (name: string) => page.getByRole('banner').getByRole('link', { name, exact: true });
  await expect(linkOf('Dashboard')).toHaveCSS('text-decoration-line', 'underline');
  await expect(linkOf('Plans')).toHaveCSS('text-decoration-line', 'none');
  await accountMenu(page).click();
  const entryOf = (name: string) => page.getByRole('menuitem', { name, exact: true });
  await entryOf('Sign Out').hover();
  await expect(entryOf('Sign Out'), 'the entry that Enter chooses').toHaveCSS('text-decoration-line', 'underline');
  await expect(entryOf('Dashboard')).toHaveCSS('text-decoration-line', 'none');
  await page.keyboard.press('Escape');
  await page.keyboard.press('Control+k');
  const options = page.getByRole('dialog').getByRole('option');
  await options.nth(1).hover();
  await expect(options.nth(1), 'the result that Enter opens').toHaveCSS('text-decoration-line', 'underline');
  await expect(options.first()).toHaveCSS('text-decoration-line', 'none');
  await page.keyboard.press('Escape');
  for (const name of ['Client', 'Dashboard']) {
    const tabs = page.getByRole('tablist', { name, exact: true });
    const groundOf = (tab: Locator) => tab.evaluate((element) => getComputedStyle(element).backgroundColor);
    const chosen = await groundOf(tabs.getByRole('tab', { selected: true }));
    expect(chosen, name).not.toBe(await groundOf(tabs.getByRole('tab', { selected: false }).first()));
  }
  const short = page.getByRole('switch', { name: 'Short list', exact: true });
  const drawn = () =>
    short.evaluate((track) =>
      [track, ...track.children].map((part) => {
        const { backgroundColor, borderTopColor } = getComputedStyle(part);
        return `${backgroundColor} ${borderTopColor}`;
      }),
    );
  await expect(short).not.toBeChecked();
  expect((await short.boundingBox())?.height).toBeGreaterThanOrEqual(24);
  const off = await drawn();
  expect(new Set(off.map((colors) => colors.split(') ')[0])).size, 'the thumb is visible on its track').toBeGreaterThan(
    1,
  );
  // the label is the target
  await page.getByText('Short list', { exact: true }).click();
  await expect(short).toBeChecked();
  // the colors of its parts do not end their transitions in one frame
  await expect.poll(async () => (await drawn())[0], 'the track is filled').not.toBe(off[0]);
  const isThumbSeen = async () => {
    const [track, thumb] = await drawn();
    return thumb !== track;
  };
  await expect.poll(isThumbSeen, 'and the thumb is visible on it').toBe(true);
});

test('on a phone the parameters of a tool scroll in their own box, and show that they continue', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openScreen(page, '/service/travel');
  await page.getByText('plan_round_trip', { exact: true }).first().click();
  const box = page.getByRole('region', { name: 'Parameters of Plan a round trip', exact: true });
  await expect(box).toHaveAttribute('data-hidden', 'end');
  await box.focus();
  for (let presses = 0; presses < 5; presses += 1) await page.keyboard.press('ArrowRight');
  await expect(box).toHaveAttribute('data-hidden', 'start');
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390);
});

test('the theme is chosen, and kept across a reload', async ({ page }) => {
  await openScreen(page, '/');
  const ground = () => page.evaluate('getComputedStyle(document.documentElement).backgroundColor');
  const light = await ground();
  await page.getByRole('button', { name: 'Theme: system. Change to light', exact: true }).click();
  await page.getByRole('button', { name: 'Theme: light. Change to dark', exact: true }).click();
  expect(await ground()).not.toBe(light);
  await page.reload();
  await expect(page.getByRole('button', { name: 'Theme: dark. Change to system', exact: true })).toBeVisible();
  expect(await ground()).not.toBe(light);
});

test('at 390 px the dashboard does not scroll sideways', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const overflow = () => page.evaluate('document.documentElement.scrollWidth - document.documentElement.clientWidth');
  await openSignedIn(page, '/', 'a-rather-long-address-of-one-person@subdomain.souk.test');
  const tabs = page.getByRole('tablist', { name: 'Dashboard', exact: true });
  const chosen = tabs.getByRole('tab', { selected: true });
  const openPart = (name: string) => page.getByRole('tab', { name, exact: true }).click();
  for (const tab of ['profile', 'services', 'billing', 'usage', 'connections']) {
    await openScreen(page, `/dashboard?tab=${tab}`);
    expect(await overflow(), tab).toBe(0);
    await expect(chosen, tab).toBeInViewport({ ratio: 1 });
  }
  await openPart('Connected apps');
  await expect(page.getByRole('heading', { name: 'Browsers', exact: true })).toBeVisible();
  expect(await overflow(), 'connected apps').toBe(0);
  await page.setViewportSize({ width: 320, height: 844 });
  await chosen.press('Home');
  await expect(page.getByRole('tab', { name: 'Profile', exact: true })).toBeInViewport({ ratio: 1 });
  await expect(tabs, 'hidden parts fade').toHaveAttribute('data-hidden', 'end');
  await chosen.press('End');
  await expect(page.getByRole('tab', { name: 'Connections', exact: true })).toBeInViewport({ ratio: 1 });
  await expect(tabs).toHaveAttribute('data-hidden', 'start');
  await page.setViewportSize({ width: 390, height: 844 });
  await openPart('Access tokens');
  await page.getByRole('button', { name: 'Create token', exact: true }).click();
  await page.getByRole('dialog').getByLabel('Name').fill('x'.repeat(80));
  await page.getByRole('dialog').getByRole('button', { name: 'Create token', exact: true }).click();
  await expect(page.getByRole('alertdialog')).toBeVisible();
  expect(await overflow(), 'a token').toBe(0);
  await page.getByRole('alertdialog').getByRole('button', { name: 'Done', exact: true }).click();
  await expect(page.getByRole('row')).toHaveCount(2);
  expect(await overflow(), 'the table').toBe(0);
});

/** Returns links and buttons that are lower than 24 px (WCAG 2.2, 2.5.8). */
const lowTargets = (of: Locator): Promise<string[]> =>
  of.evaluateAll((targets) =>
    targets
      .filter((target) => {
        const { height } = target.getBoundingClientRect();
        return height > 0 && height < 24;
      })
      .map((target) => `${target.textContent} ${target.getBoundingClientRect().height}`),
  );

test('targets in tables, above pages and on cards are at least 24 px high', async ({ page, product }) => {
  const id = await newPerson(product.publicUrl, 'target@souk.test');
  await openSignedIn(page, '/admin?tab=users', administrator);
  const main = page.getByRole('main');
  const expectHigh = async (targets: Locator, what: string) => {
    await expect(targets.first()).toBeVisible();
    expect(await lowTargets(targets), what).toEqual([]);
  };
  await expectHigh(main.getByRole('table').locator('button'), 'users');
  await openScreen(page, '/admin?tab=audit');
  await expectHigh(main.getByRole('table').locator('a, button, summary'), 'audit log');
  await openScreen(page, `/admin?tab=users&user=${id}&part=profile`);
  await expectHigh(main.getByRole('link', { name: 'All users', exact: true }), 'the way back to users');
  await openScreen(page, '/admin?tab=manifests&id=travel&part=changes');
  await expectHigh(main.getByRole('link', { name: 'All manifests', exact: true }), 'the way back to manifests');
  await openScreen(page, '/admin?tab=manifests');
  await expectHigh(main.getByRole('table').locator('a, button'), 'manifests');
  await openScreen(page, '/marketplace');
  await expectHigh(page.getByRole('article').getByRole('link', { name: /\/month\)$/ }), 'plans on cards');
});

test("on a phone the tables of a server's administration keep their controls in view", async ({ page, product }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  const id = await newPerson(product.publicUrl, `${'long-'.repeat(8)}renter@souk.test`);
  const calls = await administratorCalls(product.publicUrl);
  await calls.addUserSubscription({ params: { id }, body: { type: 'rental', mcpId: 'travel-pro' } });
  await openSignedIn(page, '/admin?tab=manifests&id=travel-pro', administrator);
  for (const [part, table] of [
    ['changes', 'All versions'],
    ['tools', 'All tools'],
    ['money', 'Renters'],
  ] as const) {
    await openScreen(page, `/admin?tab=manifests&id=travel-pro&part=${part}`);
    const box = page.getByRole('region', { name: table, exact: true });
    await expect(box.getByRole('row').nth(1)).toBeVisible();
    expect(await box.evaluate((of) => of.scrollWidth - of.clientWidth), table).toBe(0);
  }
  await expect(page.getByRole('table', { name: 'Renters', exact: true })).toContainText('Refund if it ended now');
  for (const part of ['payments', 'credits', 'apps']) {
    await openScreen(page, `/admin?tab=users&user=${id}&part=${part}`);
    expect(await page.evaluate('document.documentElement.scrollWidth'), part).toBe(390);
  }
  await erasePerson(product.publicUrl, id, `${'long-'.repeat(8)}renter@souk.test`);
});

test.describe('snapshots', () => {
  test.use({ viewport: { width: 1280, height: 900 }, colorScheme: 'light', reducedMotion: 'reduce' });

  /** Returns texts that differ from start to start: the port in links, the counts of use, times. */
  const dynamic = (page: Page): Locator[] => [
    page.locator('input[readonly]'),
    page.locator('pre'),
    page.locator('time'),
    page.getByText(/^http:\/\/localhost:/),
  ];

  for (const [name, path] of [
    ['home', '/'],
    ['marketplace', '/marketplace'],
    ['service', '/service/travel'],
  ] as const) {
    test(`the look of ${name}`, async ({ page }) => {
      await openScreen(page, path);
      await page.waitForLoadState('networkidle');
      await expect(page).toHaveScreenshot(`${name}.png`, {
        animations: 'disabled',
        maxDiffPixelRatio: 0.02,
        mask: dynamic(page),
      });
    });
  }

  test('the look of the dashboard', async ({ page }) => {
    await openSignedIn(page, '/dashboard', 'painted@souk.test');
    await expect(page.getByRole('heading', { name: 'No connection attempts yet', exact: true })).toBeVisible();
    await expect(page).toHaveScreenshot('dashboard.png', {
      animations: 'disabled',
      maxDiffPixelRatio: 0.02,
      mask: dynamic(page),
    });
  });
});
