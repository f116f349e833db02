import { getCapabilities } from '@souk/contract/catalogue/catalogue.ts';
import { getRelatedServers } from '@souk/contract/catalogue/related-servers.ts';
import { getServerRecord } from '@souk/contract/catalogue/server-record.ts';
import type { Locator, Page } from '@playwright/test';
import { callThroughLink } from './call-through-link.ts';
import { cataloguePath, changeCatalogue, failCalls, holdCalls, withServer } from './catalogue-answer.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { chooseAccount, openSignedIn } from './sign-in.ts';

const titleOf = (page: Page) => page.getByRole('heading', { level: 1 });
const toolsOf = (page: Page) =>
  page.getByRole('main').locator('section', { has: page.getByRole('heading', { name: /^Tools Available/ }) });
const errorOf = (page: Page, title: string) =>
  page.getByRole('alert').filter({ has: page.getByRole('heading', { name: title, exact: true }) });

test('the page of a service describes it, lists its tools, and shows its link', async ({ page, product, request }) => {
  await page.goto('/service/travel');
  const main = page.getByRole('main');
  const { servers, capabilities } = getCapabilities.answer.parse(await (await request.get('/mcp/capabilities')).json());
  await test.step('[SVC-2] [SVC-3] it shows its name, status and description', async () => {
    await expect(titleOf(page)).toHaveText('Travel');
    await expect(main.getByText('connected', { exact: true }).first()).toBeVisible();
    await expect(main.getByText(/^Airports, distances, flight times and local times/)).toBeVisible();
  });
  await test.step('[SVC-4] [SVC-5] every tool is counted and listed with its description, and its parameters unfold', async () => {
    await expect(toolsOf(page).getByRole('heading', { name: 'Tools Available 7', exact: true })).toBeVisible();
    const tools = capabilities.filter(({ serverId, type }) => serverId === 'travel' && type === 'tool');
    const rows = toolsOf(page).getByRole('listitem');
    await expect(rows).toHaveCount(7);
    for (const { displayName, displayDescription } of tools) {
      const row = rows.filter({ has: page.getByText(displayName, { exact: true }) });
      await expect(row.getByText(displayDescription, { exact: true })).toBeVisible();
    }
    const row = rows.filter({ hasText: 'find_airports' });
    await expect(row.getByRole('table')).toBeHidden();
    await row.getByText('find_airports', { exact: true }).first().click();
    await expect(row.getByRole('rowheader', { name: /^query/ })).toBeVisible();
    await expect(row.getByText("On your all-services link it's named travel__find_airports.")).toBeVisible();
    await row.getByText('JSON schema', { exact: true }).click();
    await expect(row.getByRole('figure', { name: 'JSON schema', exact: true })).toContainText('"maxLength": 100');
  });
  await test.step('[SVC-8] Server Information shows the status, Last Updated and Total Tools', async () => {
    const lastUpdate = servers.find(({ serverId }) => serverId === 'travel')?.lastUpdate ?? '';
    const information = page.getByRole('region', { name: 'Server Information', exact: true });
    const factOf = (name: string) =>
      information.getByRole('definition').and(page.locator(`dt:text-is("${name}") + dd`));
    await expect(factOf('Status')).toHaveText('connected');
    await expect(factOf('Total Tools')).toHaveText('7');
    await expect(factOf('Last Updated')).toContainText(/[A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d{2}\s[AP]M/);
    await expect(factOf('Last Updated').locator('time')).toHaveAttribute('datetime', lastUpdate);
  });
  await test.step('its link, and that of each client, leads only to this service', async () => {
    const link = `${product.publicUrl}/s/travel/mcp`;
    await expect(page.getByLabel("Travel's link", { exact: true })).toHaveValue(link);
    await page.getByRole('tab', { name: 'Codex', exact: true }).click();
    await expect(page.getByText(`codex mcp add souk-travel --url ${link}`, { exact: true })).toBeVisible();
    await expect(page.getByText('What to expect: Your browser now opens to sign in.')).toBeVisible();
  });
  await test.step('[GEN-13] it leads back', async () => {
    await page.getByRole('link', { name: 'Back to Marketplace', exact: true }).click();
    await expect(page).toHaveURL(/\/marketplace$/);
  });
});

test('[SVC-6] [SVC-7] a tool with a cost shows credits per call, one without is free to use, and a server without tools says so', async ({
  page,
}) => {
  await changeCatalogue(page, (catalogue) => ({
    ...catalogue,
    capabilities: catalogue.capabilities
      .filter(({ serverId }) => serverId !== 'memory')
      .map((capability) => (capability.creditCost === 5 ? { ...capability, creditCost: 1234 } : capability)),
  }));
  await page.goto('/service/travel');
  await expect(toolsOf(page).getByText('1,234 credits per call', { exact: true })).toBeVisible();
  await expect(toolsOf(page).getByText('Free to use', { exact: true })).toHaveCount(5);
  await page.goto('/service/memory');
  await expect(page.getByRole('heading', { name: 'No Tools Found', exact: true })).toBeVisible();
});

test('tools are on the left of the first screen; next to them is how to get or connect the server, then its facts', async ({
  page,
}) => {
  const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
  const leftOf = async (part: Locator) => (await part.boundingBox())?.x ?? 0;
  await page.setViewportSize({ width: 1280, height: 800 });
  const information = page.getByRole('region', { name: 'Server Information', exact: true });
  // a new installation has none: users who use the two together
  await routeNow(page, '**/api/catalogue/servers/travel-pro/related', async (route) => {
    const { servers } = getRelatedServers.answer.parse(await (await route.fetch()).json());
    const json = { servers: servers.map((one) => ({ ...one, usedTogether: one.serverId === 'travel' })) };
    await route.fulfill({ json });
  });
  for (const path of ['/service/travel', '/service/travel-pro']) {
    await page.goto(path);
    await expect(toolsOf(page).getByRole('listitem').first()).toBeInViewport();
    await expect(useOf(page)).toBeInViewport();
    expect(await leftOf(toolsOf(page)), path).toBeLessThan(await leftOf(useOf(page)));
    expect(await leftOf(useOf(page)), path).toBe(await leftOf(information));
    expect(await topOf(useOf(page)), path).toBeLessThan(await topOf(information));
  }
  // without "today" if midnight has passed since the product was started
  await expect(information).toContainText(
    /^Server InformationStatusconnectedUptime, 30 days(since [A-Z][a-z]{2} \d|\d+%( today)?)/,
  );
  await expect(information).toContainText(/Last tested(just now|\d+ minutes? ago)/);
  await expect(information).toContainText('ProtocolMCP 2026-07-28TransportStreamable HTTP');
  await expect(information).toContainText(/Context costabout [\d,]+ tokens/);
  const related = page.getByRole('region', { name: 'Related services', exact: true });
  await expect(related.getByRole('link', { name: 'Travel', exact: true })).toHaveAttribute('href', '/service/travel');
  await expect(related.getByRole('link', { name: 'Travel Pro', exact: true })).toHaveCount(0);
  await expect(related.getByRole('listitem').filter({ hasText: 'Often used together' })).toHaveCount(1);
  await expectNoAxeFindings(page);
  // on a phone, the first requirement comes first
  await page.setViewportSize({ width: 390, height: 844 });
  expect(await topOf(useOf(page))).toBeLessThan(await topOf(toolsOf(page)));
  await page.goto('/service/travel');
  await expect(useOf(page).getByRole('tablist')).toBeAttached();
  expect(await topOf(toolsOf(page))).toBeLessThan(await topOf(useOf(page)));
});

const arabic = 'خدمة السفر في العالم العربي';
const long = 'w'.repeat(90);

test('on the narrowest phone a signed-in user has switch and link before the tools; texts of every script and length fit', async ({
  page,
}) => {
  await changeCatalogue(page, (catalogue) => ({
    ...withServer(catalogue, 'travel', (server) => ({
      ...server,
      displayName: `${arabic} ${long}`,
      displayDescription: '世界の空港と距離、飛行時間、現地時刻。'.repeat(20),
      billing: { tier: 'T0', features: [`Airports ${long}`, 'ميزة أخرى', 'Local times'] },
    })),
    capabilities: catalogue.capabilities.map((item) =>
      item.name === 'find_airports'
        ? { ...item, displayName: arabic, displayDescription: `${arabic}. `.repeat(30) }
        : item,
    ),
  }));
  await page.setViewportSize({ width: 320, height: 700 });
  await openSignedIn(page, '/service/travel', 'narrow@souk.test');
  const fits = () => page.evaluate(() => document.documentElement.scrollWidth <= window.innerWidth);
  const topOf = async (part: Locator) => (await part.boundingBox())?.y ?? 0;
  await expect(useOf(page).getByRole('switch')).toBeVisible();
  await expect(useOf(page).getByRole('textbox')).toBeVisible();
  expect(await topOf(useOf(page).getByRole('textbox'))).toBeLessThan(await topOf(toolsOf(page)));
  expect(await fits()).toBe(true);
  const directionOf = (part: Locator) => part.evaluate((element) => getComputedStyle(element).direction);
  expect(await directionOf(titleOf(page))).toBe('rtl');
  const more = page.getByRole('button', { name: 'Show more', exact: true });
  const description = page.getByText('世界の空港').first();
  const heightOf = async (part: Locator) => (await part.boundingBox())?.height ?? 0;
  const [clamped, row] = [await heightOf(description), toolsOf(page).getByRole('listitem').filter({ hasText: arabic })];
  await more.click();
  expect(await heightOf(description)).toBeGreaterThan(clamped * 2);
  await page.getByRole('button', { name: 'Show less', exact: true }).click();
  expect(await heightOf(description)).toBe(clamped);
  const told = row.getByText(`${arabic}. ${arabic}.`);
  const cut = await heightOf(told);
  await row.getByText(arabic, { exact: true }).click();
  expect(await heightOf(told)).toBeGreaterThan(cut * 2);
  expect(await directionOf(told)).toBe('rtl');
  await expect(row.getByRole('rowheader', { name: /^query/ })).toBeVisible();
  expect(await fits()).toBe(true);
  for (const path of ['/', '/marketplace', '/dashboard?tab=services', '/service/notes']) {
    await page.goto(path);
    await expect(page.getByRole('heading', { level: 1 }).first()).toBeVisible();
    await expect(
      page
        .getByRole('main')
        .getByText(path === '/service/notes' ? 'Sign in to Notes' : path.startsWith('/dashboard') ? 'Travel' : arabic)
        .first(),
    ).toBeVisible();
    expect(await fits(), path).toBe(true);
  }
  expect(await topOf(page.getByRole('button', { name: 'Sign in to Notes', exact: true }))).toBeLessThan(
    await topOf(toolsOf(page)),
  );
});

test('60 tools can be filtered by the words of their names and descriptions, and unfolded rows stay open', async ({
  page,
}) => {
  await changeCatalogue(page, (catalogue) => {
    const [first] = catalogue.capabilities.filter(({ serverId, type }) => serverId === 'travel' && type === 'tool');
    if (!first) throw new Error('Travel has no tool');
    const many = Array.from({ length: 60 }, (_, index) => ({
      ...first,
      name: `tool_${index}`,
      displayName: index === 7 ? 'Café finder' : `Tool ${index}`,
      displayDescription: index % 20 === 0 ? 'Sends an invoice.' : 'Sends something else.',
    }));
    return { ...catalogue, capabilities: many };
  });
  await page.goto('/service/travel');
  const rows = toolsOf(page).getByRole('listitem');
  await expect(rows).toHaveCount(60);
  const filter = toolsOf(page).getByRole('searchbox', { name: 'Filter tools', exact: true });
  const count = toolsOf(page).getByRole('status');
  await expect(count).toHaveText('');
  const opened = rows.filter({ hasText: 'tool_20' });
  await opened.getByText('Tool 20', { exact: true }).click();
  await expect(opened.getByRole('rowheader', { name: /^query/ })).toBeVisible();
  await page.keyboard.press('/');
  await expect(filter).toBeFocused();
  await page.keyboard.type('INVOICE sends');
  await expect(count).toHaveText('3 of 60 tools');
  await expect(rows.locator('visible=true')).toHaveCount(3);
  await expect(opened.getByRole('rowheader', { name: /^query/ })).toBeVisible();
  await filter.fill('cafe');
  await expect(count).toHaveText('1 of 60 tools');
  await expect(opened).toBeHidden();
  await filter.fill('nothing like it');
  await expect(count).toHaveText('0 of 60 tools');
  await expect(toolsOf(page).getByRole('heading', { name: 'No tools match', exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  await toolsOf(page).getByRole('button', { name: 'Show all tools', exact: true }).click();
  await expect(filter).toBeFocused();
  await expect(rows).toHaveCount(60);
  await expect(opened.getByRole('rowheader', { name: /^query/ })).toBeVisible();
  await page.keyboard.type('tool_5');
  await page.keyboard.press('Escape');
  await expect(filter).toHaveValue('');
  await expect(rows).toHaveCount(60);
});

test('uptime is drawn per day, and a table has the same in words', async ({ page }) => {
  const days = Array.from({ length: 30 }, (_, index) => ({
    day: `2026-06-${String(index + 1).padStart(2, '0')}`,
    percent: index < 2 ? null : index === 2 ? 96.5 : 100,
  }));
  await routeNow(page, '**/api/catalogue/servers/travel/record', async (route) => {
    const answer = getServerRecord.answer.parse(await (await route.fetch()).json());
    expect(answer.days).toHaveLength(30);
    await route.fulfill({ json: { ...answer, uptime: { since: '2026-06-30', percent: null }, days } });
  });
  await page.goto('/service/travel');
  const information = page.getByRole('region', { name: 'Server Information', exact: true });
  await expect(information, 'before the first day of checks').toContainText('Uptime, 30 days100% today');
  const table = page.getByRole('table', { name: 'Uptime by day', exact: true });
  const cells = table.getByRole('cell');
  await expect(cells).toHaveText(['No checks', 'No checks', '96.5%', ...Array<string>(27).fill('100%')]);
  await expect(table.getByRole('rowheader').nth(2)).toHaveText('Jun 3, 2026 UTC');
  await expect(information).toContainText('29 days agoToday (UTC)');
  const bars = information.locator('svg');
  const heightsOf = (colour: string) =>
    bars.locator(`.fill-${colour}`).evaluateAll((drawn) => drawn.map((bar) => bar.getBoundingClientRect().height));
  const [whole] = (await heightsOf('good')).slice(-1);
  expect(await heightsOf('bad')).toHaveLength(1);
  expect((await heightsOf('good')).filter((height) => height < Number(whole))).toHaveLength(1);
  expect(Math.max(...(await heightsOf('line-strong')))).toBeLessThan(Number(whole) / 4);
});

test('the way to get a server, its tier and the reason of its failure are on its page, each once', async ({ page }) => {
  await changeCatalogue(page, (catalogue) =>
    withServer(catalogue, 'travel-pro', (server) => ({
      ...server,
      status: 'error',
      statusDetail: 'Not reached since noon',
      downSince: '2026-11-21T12:00:00.000Z',
    })),
  );
  await page.goto('/service/travel-pro');
  await expect(page.getByText('Not reached since noon')).toBeVisible();
  await expect(page.getByRole('main')).toContainText(
    /Error since Nov 21, 2026, .*\. Calls fail and are not charged\. Plans and rentals continue\./,
  );
  await expect(page.getByRole('main').getByText('error', { exact: true }).first()).toBeVisible();
  await expect(useOf(page).getByRole('heading')).toContainText('$9/month');
  const text = await page.getByRole('main').innerText();
  for (const said of ['$9/month', 'T2', 'Not reached since noon']) expect(text.split(said), said).toHaveLength(2);
});

const useOf = (page: Page) => page.getByRole('region', { name: 'Use this service', exact: true });

test('on a phone a signed-in user sees the switch and the link, the folded setup of a client, and then the tools', async ({
  page,
}) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openSignedIn(page, '/service/travel', 'has-a-phone@souk.test');
  await expect(page.getByRole('region', { name: 'Use Travel', exact: true }).getByRole('switch')).toBeChecked();
  await expect(page.getByLabel("Travel's link", { exact: true })).toBeVisible();
  const clients = useOf(page).getByRole('tablist', { name: 'Client', exact: true });
  const setUp = useOf(page).getByRole('button', { name: 'Set up a client', exact: true });
  await expect(setUp).toHaveAttribute('aria-expanded', 'false');
  await expect(clients).toBeHidden();
  expect((await useOf(page).boundingBox())?.height, 'the tools follow').toBeLessThan(500);
  await expectNoAxeFindings(page);
  await setUp.press('Enter');
  await expect(setUp).toHaveAttribute('aria-expanded', 'true');
  await expect(clients).toBeVisible();
  await expectNoAxeFindings(page);
  await setUp.press('Enter');
  await expect(clients).toBeHidden();
  await page.setViewportSize({ width: 1280, height: 800 });
  await expect(clients).toBeVisible();
  await expect(setUp).toBeHidden();
});

test('a service that the user may not use says how to get access, and shows neither the link nor a wait for a call', async ({
  page,
}) => {
  const access = 'Included in Pro ($19/month), or rent it for $9/month.';
  await page.goto('/service/travel-pro');
  await expect(useOf(page).getByRole('heading')).toHaveText(access);
  await expect(useOf(page).getByRole('link', { name: 'See plans', exact: true })).toHaveAttribute('href', '/plans');
  await page.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true }).click();
  await chooseAccount(page, 'free-plan@souk.test');
  await expect(page).toHaveURL(/\/service\/travel-pro$/);
  await expect(useOf(page).getByRole('heading')).toHaveText(access);
  await expect(useOf(page)).toContainText("Your plan doesn't include Travel Pro");
  await expect(page.getByRole('textbox')).toHaveCount(0);
  await expect(page.getByRole('tablist', { name: 'Client', exact: true })).toHaveCount(0);
  await expect(page.getByText('Waiting for the first call')).toHaveCount(0);
  await expect(page.getByRole('switch')).toHaveCount(0);
  await expectNoAxeFindings(page);
  await useOf(page).getByRole('link', { name: 'See plans', exact: true }).click();
  await expect(page).toHaveURL(/\/plans$/);
});

test('a service that needs an account says so first, with the button', async ({ page }) => {
  await page.goto('/service/notes');
  await expect(useOf(page).getByRole('heading').first()).toHaveText('Notes needs your account');
  await useOf(page).getByRole('button', { name: 'Sign In', exact: true }).click();
  await chooseAccount(page, 'own-notes@souk.test');
  await expect(useOf(page).getByRole('heading').first()).toHaveText('Your Notes account');
  await expect(useOf(page)).toContainText('Sign in with your Notes account to use its tools.');
  await expectNoAxeFindings(page);
  const opened = page.waitForEvent('popup');
  await useOf(page).getByRole('button', { name: 'Sign in to Notes', exact: true }).click();
  const popup = await opened;
  await popup.getByLabel('Your name').fill('Nora');
  await popup.getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(useOf(page).getByText('Connected', { exact: true })).toBeVisible();
  await expect(useOf(page).getByRole('heading', { name: 'Your Notes account', exact: true })).toBeFocused();
  await expect(useOf(page).getByRole('button', { name: 'Sign in again', exact: true })).toBeVisible();
  await expect(useOf(page).getByRole('button', { name: 'Disconnect', exact: true })).toBeVisible();
  await expect(page.getByLabel("Notes' link", { exact: true })).toBeVisible();
});

test('a signed-in user can switch a service on and off on its page, and only an answered call proves that its link works', async ({
  page,
  product,
}) => {
  await page.goto('/service/travel');
  await expect(page.getByRole('heading', { name: /^Tools Available/ })).toBeVisible();
  await expect(page.getByRole('switch')).toHaveCount(0);
  await openSignedIn(page, '/service/travel', 'refused-calls@souk.test');
  const travel = page.getByRole('switch', { name: 'Use Travel', exact: true });
  const link = page.getByLabel("Travel's link", { exact: true });
  const status = useOf(page).getByRole('status').filter({ hasText: /call/ });
  await expect(travel).toBeChecked();
  await expect(link).toBeVisible();
  await expect(status).toContainText('Waiting for the first call');
  await travel.click();
  await expect(link).toHaveCount(0);
  await page.reload();
  await expect(travel).not.toBeChecked();
  expect(await callThroughLink(page, product.publicUrl, 'travel__find_airports')).toContain('switched off');
  await travel.click();
  await expect(link).toBeVisible();
  await expect(status).toContainText("A call arrived, but it wasn't answered");
  await expect(status).toContainText('The service was switched off.');
  await expectNoAxeFindings(page);
  expect(await callThroughLink(page, product.publicUrl, 'travel__find_airports', { query: 'Zurich' })).toContain('ZRH');
  await expect(status).toHaveText(/^The first call has arrived\s*journey called Find airports just now$/);
});

test('[SVC-1] [SVC-9] [SVC-10] [SVC-12] addresses of a service work with an encoded id, and are handled without an id and with an unknown one', async ({
  page,
}) => {
  await test.step('the id in the address is URL-decoded', async () => {
    await page.goto('/service/%74ravel');
    await expect(titleOf(page)).toHaveText('Travel');
    await page.goto('/service/two%20words%2Fand%20%C3%BC');
    await expect(errorOf(page, 'Server Not Found')).toContainText("MCP server with ID 'two words/and ü' not found.");
  });
  await test.step('without an id it says No server ID provided', async () => {
    for (const path of ['/service', '/service/']) {
      await page.goto(path);
      await expect(errorOf(page, 'Server Not Found'), path).toContainText('No server ID provided');
    }
  });
  await test.step('an unknown id says Server Not Found, with the existing servers and a way back', async () => {
    await page.goto('/service/travl');
    await expect(errorOf(page, 'Server Not Found')).toContainText(
      /MCP server with ID 'travl' not found\. Available servers: (?=.*\bcalendar\b)(?=.*\btravel-pro\b)/,
    );
    await page.getByRole('main').getByRole('link', { name: 'Back to Marketplace', exact: true }).last().click();
    await expect(page).toHaveURL(/\/marketplace$/);
  });
  await test.step('[SVC-11] without any server it says that the broker may not be running', async () => {
    await changeCatalogue(page, (catalogue) => ({ ...catalogue, servers: [], capabilities: [] }));
    await page.goto('/service/travel');
    await expect(errorOf(page, 'Server Not Found')).toContainText(
      'No MCP services found. The MCP broker may not be running.',
    );
  });
});

test('[SVC-13] the page shows that it loads, and when that fails', async ({ page }) => {
  await test.step('while it loads, it reserves its space and says so', async () => {
    const release = await holdCalls(page, cataloguePath);
    await page.goto('/service/travel');
    await expect(page.getByRole('status').filter({ hasText: 'Loading server…' })).toBeVisible();
    release();
    await expect(titleOf(page)).toHaveText('Travel');
    await page.unroute(cataloguePath);
  });
  await test.step('any other failure says Failed to load server details, and Retry loads them', async () => {
    const heal = await failCalls(page, cataloguePath, { message: 'The stall is closed.' });
    await page.goto('/service/travel');
    await expect(errorOf(page, 'Failed to load server details')).toContainText('The stall is closed.');
    await heal();
    await page.getByRole('button', { name: 'Retry', exact: true }).click();
    await expect(titleOf(page)).toHaveText('Travel');
  });
});
