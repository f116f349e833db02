import type { CreditUsage } from '@souk/contract/billing/billing-history.ts';
import type { UsageStats } from '@souk/contract/usage.ts';
import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { failCalls, holdCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

const statsPath = '**/usage-stats*';
const historyPath = '**/credit-history*';
const usage = (page: Page) => page.getByRole('region', { name: 'Credit Usage', exact: true });
const services = (page: Page) =>
  page.getByRole('region', { name: 'Calls and credits by service', exact: true }).getByRole('row');
const activity = (page: Page) => page.getByRole('list', { name: 'Recent activity', exact: true }).getByRole('listitem');
const refresh = (page: Page) => usage(page).getByRole('button', { name: 'Refresh', exact: true });

const onDays = (figure: (day: number) => number) => Array.from({ length: 30 }, (_, day) => figure(day));

/** More than the tab shows: twelve services, and twelve calls, of which the first has both counts of tokens. */
const credits = [3700, ...Array.from({ length: 11 }, () => 1)];
const stats: UsageStats = {
  totalCreditsUsed: 3711,
  totalToolCalls: 1234,
  answeredToolCalls: 1200,
  averageCost: 3.01,
  // the last entry is not a server
  usageByMcp: [...credits, 0].map((totalCredits, index) => ({
    mcpId: index === 0 ? 'travel' : index === credits.length ? '+built-in' : `service-${index}`,
    toolCalls: index === 0 ? 1023 : 21,
    answeredToolCalls: index === 0 ? 1003 : 20,
    averageCost: index === 0 ? 3.7 : 0,
    totalCredits,
    lastClientAt: null,
  })),
  usageByTool: [],
  usageByDay: Array.from({ length: 30 }, (_, index) => ({
    date: `2026-11-${String(index + 1).padStart(2, '0')}`,
    toolCalls: 1203,
    answeredToolCalls: index === 4 ? 1200 : index % 3,
    totalCredits: index,
  })),
  usageByMcpAndDay: [
    { mcpId: 'travel', answeredToolCalls: onDays((day) => (day === 4 ? 900 : day % 3)) },
    { mcpId: 'service-1', answeredToolCalls: onDays((day) => (day === 4 ? 250 : 0)) },
    { mcpId: '+built-in', answeredToolCalls: onDays((day) => (day === 4 ? 30 : 0)) },
    { mcpId: '+others', answeredToolCalls: onDays((day) => (day === 4 ? 20 : 0)) },
  ],
  lastCallAt: null,
  lastAnsweredAt: null,
  lastClientAt: null,
};
const charges: CreditUsage[] = credits.map((amount, index) => ({
  id: `call-${index}`,
  mcpId: 'travel',
  toolName: `tool_${index}`,
  amount,
  timestamp: new Date(Date.now() - (index + 1) * 3_600_000).toISOString(),
  metadata: index === 0 ? { promptTokens: 1000, responseTokens: 234 } : index === 1 ? { responseTokens: 7 } : {},
}));

/** Signs in, with prepared usage of the user. */
async function prepareUse(page: Page, email: string): Promise<void> {
  await openSignedIn(page, '/marketplace', email);
  await routeNow(page, statsPath, (route) => route.fulfill({ json: { success: true, data: stats } }));
  const pagination = { page: 1, pageSize: 20, total: 12, pages: 1 };
  await routeNow(page, historyPath, (route) =>
    route.fulfill({ json: { success: true, data: { usage: charges, pagination } } }),
  );
}

test('[USE-8] [USE-12] usage loads when its tab is first opened and on Refresh, and not before', async ({ page }) => {
  const asked: string[] = [];
  await page.clock.install();
  page.on('request', (request) => {
    const { pathname, search } = new URL(request.url());
    if (/\/(usage-stats|credit-history)$/.test(pathname)) asked.push(pathname.split('/').at(-1) + search);
  });
  await prepareUse(page, 'opens-usage@souk.test');
  await page.goto('/dashboard?tab=billing');
  await expect(page.getByRole('heading', { name: 'Subscription Summary', exact: true })).toBeVisible();
  await page.waitForLoadState('networkidle');
  expect(asked, 'before the tab is opened').toEqual([]);
  await page.getByRole('tab', { name: 'Usage', exact: true }).click();
  await expect(activity(page)).toHaveCount(10);
  const once = ['usage-stats?days=30', 'credit-history?limit=20'];
  expect(asked.toSorted(), 'when the tab is opened').toEqual(once.toSorted());
  await page.getByRole('tab', { name: 'Usage', exact: true }).press('ArrowLeft');
  await expect(page.getByRole('heading', { name: 'Subscription Summary', exact: true })).toBeVisible();
  await page.clock.fastForward('01:00');
  await page.getByRole('tab', { name: 'Billing', exact: true }).press('ArrowRight');
  await expect(activity(page)).toHaveCount(10);
  await page.evaluate(() => window.dispatchEvent(new Event('focus')));
  await page.waitForLoadState('networkidle');
  expect(asked, 'when it is opened again').toHaveLength(2);
  await refresh(page).click();
  await expect.poll(() => asked.slice(2).toSorted(), 'on Refresh').toEqual(once.toSorted());
});

test('the Usage tab has the figures of 30 days, by service, and the last calls', async ({ page }) => {
  await prepareUse(page, 'has-figures@souk.test');
  await page.goto('/dashboard?tab=usage');
  await test.step('[USE-7] [USE-9] [USE-10] Recent Activity has ten entries, each with service, tool, time, credits and tokens', async () => {
    await expect(page.getByRole('heading', { name: 'Recent Activity', exact: true })).toBeVisible();
    await expect(activity(page)).toHaveCount(10);
    await expect(activity(page).first()).toHaveText('tool_0Travel · 1 hour ago3,700 credits1,234 tokens');
    await expect(activity(page).nth(1)).toHaveText('tool_1Travel · 2 hours ago1 credit7 tokens');
    await expect(activity(page).nth(2)).toHaveText('tool_2Travel · 3 hours ago1 credit');
  });
  await test.step('[USE-1] [USE-2] [USE-3] [USE-4] the figures and their chart are shown, and fit on a phone', async () => {
    await expect(page.getByRole('heading', { level: 2, name: 'Credit Usage', exact: true })).toBeVisible();
    await expect(usage(page)).toContainText('The last 30 days.');
    for (const figure of [
      'Credits used3,711',
      'MCP servers used12',
      'Tool calls1,20034 more refused or failed',
      'Average cost3.01credits per call',
    ])
      await expect(usage(page)).toContainText(figure);
    const day = page
      .getByRole('table', { name: 'Tool calls by day', exact: true })
      .getByRole('row', { name: /^Nov 5, 2026/ });
    await expect(day).toHaveText('Nov 5, 2026 UTC1,20049002503020');
    const columns = page.getByRole('table', { name: 'Tool calls by day', exact: true }).getByRole('columnheader');
    await expect(columns).toHaveText([
      'Day',
      'Tool calls',
      'Credits',
      'Travel',
      'service-1',
      'Built-in tools',
      'Other services',
    ]);
    const chart = page.getByRole('figure').filter({ hasText: 'Tool calls by day' });
    const bars = page.getByRole('slider', { name: 'Day of the chart', exact: true });
    const values = chart.locator('figcaption + div > div').first().locator('span');
    await expect(values, 'the labels of the axis').toHaveText(['2,000', '1,000', '0']);
    await expect(chart.getByText(/^Nov \d+$/), 'the dates of the axis').toHaveText([
      'Nov 1',
      'Nov 11',
      'Nov 20',
      'Nov 30',
    ]);
    await expect(chart).toContainText('Most in a day: 1,200');
    await bars.focus();
    await expect(bars).toHaveAttribute('aria-valuetext', 'Nov 30, 2026 UTC: 2 tool calls, 29 credits');
    await page.keyboard.press('Home');
    for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press('ArrowRight');
    const fifth = 'Nov 5, 2026 UTC: 1,200 tool calls, 4 credits';
    await expect(bars).toHaveAttribute('aria-valuetext', fifth);
    await expect(chart.getByText(fifth, { exact: true })).toBeVisible();
    const rowOf = (service: string) =>
      chart.locator('div:has(> svg)').filter({ has: page.getByText(service, { exact: true }) });
    const figuresBy = async () => {
      for (const [service, count] of [
        ['Travel', /900$/],
        ['service-1', /250$/],
        ['Built-in tools', /30$/],
        ['Other services', /20$/],
      ] as const) {
        await expect(rowOf(service), 'the day of each service').toHaveText(count);
        await expect(rowOf(service).locator('svg g')).toHaveCount(30);
      }
    };
    await figuresBy();
    await bars.blur();
    await expect(chart.getByText(fifth, { exact: true })).toHaveCount(0);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 844 });
      const box = await bars.boundingBox();
      await bars.hover({ position: { x: ((box?.width ?? 0) * 4.5) / 30, y: 20 } });
      await expect(chart.getByText(fifth, { exact: true }), `under the pointer at ${width}`).toBeVisible();
      const last = rowOf('Other services');
      const row = await last.boundingBox();
      await last.hover({ position: { x: ((row?.width ?? 0) * 4.5) / 30, y: 10 } });
      await expect(chart.getByText(fifth, { exact: true }), `under the pointer in a row at ${width}`).toBeVisible();
      await figuresBy();
      expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
      await expectNoAxeFindings(page);
    }
    await expect(services(page).nth(1).locator('img'), 'a service has its icon').toHaveAttribute('src', /travel/);
    await page.emulateMedia({ forcedColors: 'active' });
    const chosen = chart.locator('svg g').nth(4).locator('rect').last();
    const fillOf = () => chosen.evaluate((bar) => getComputedStyle(bar).fill);
    await page.mouse.move(0, 0);
    await expect(chart).toContainText('Most in a day');
    const before = await fillOf();
    await bars.focus();
    await page.keyboard.press('Home');
    for (let presses = 0; presses < 4; presses += 1) await page.keyboard.press('ArrowRight');
    await expect.poll(fillOf, 'the hovered day is highlighted').not.toBe(before);
  });
  await test.step('[USE-5] [USE-6] Usage by Service has ten services, each with calls, average and total', async () => {
    await expect(page.getByRole('heading', { name: 'Usage by Service', exact: true })).toBeVisible();
    await expect(services(page)).toHaveCount(11);
    await expect(services(page).nth(1)).toHaveText('Travel1,0033.73,700');
    await expect(services(page).nth(10)).toHaveText('Sservice-9200.01');
    const moreAnswers = { ...stats, answeredToolCalls: 1300 };
    await routeNow(page, statsPath, (route) => route.fulfill({ json: { success: true, data: moreAnswers } }));
    await refresh(page).click();
    await expect(usage(page)).toContainText('Tool calls1,300');
    await expect(usage(page), 'never less than zero').not.toContainText('more refused or failed');
  });
});

test('a call of a built-in tool is one call in the figures, in the chart, by service, in the list, and next to the link', async ({
  page,
  product,
}) => {
  await openSignedIn(page, '/marketplace', 'asks-built-in@souk.test');
  await callThroughLink(page, product.publicUrl, 'my_balance');
  await callThroughLink(page, product.publicUrl, 'no_such_tool');
  await page.goto('/dashboard?tab=usage');
  await expect(activity(page)).toHaveText([/^My balanceBuilt-in tool · .*free$/]);
  for (const figure of ['MCP servers used0', 'Tool calls11 more refused or failed', 'Most in a day: 1'])
    await expect(usage(page)).toContainText(figure);
  await expect(services(page).nth(1)).toHaveText('BBuilt-in tools10.00');
  await expect(services(page)).toHaveCount(2);
  await page.getByRole('tab', { name: 'Connections', exact: true }).click();
  await expect(page.getByText('The first call has arrived', { exact: true })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(/ called My balance /);
  await callThroughLink(page, product.publicUrl, 'list_my_servers');
  await page.reload();
  await expect(page.getByText('Working. 2 calls in the last 30 days.', { exact: true })).toBeVisible();
});

test('[USE-11] [HIST-15] [HIST-16] without calls the Usage tab says so; data that cannot be fetched is reported, and falls back to zeros', async ({
  page,
}) => {
  await openSignedIn(page, '/marketplace', 'uses-nothing@souk.test');
  const release = await holdCalls(page, historyPath);
  await page.goto('/dashboard?tab=usage');
  await expect(page.getByRole('status').filter({ hasText: 'Loading your usage…' })).toBeVisible();
  release();
  await expect(usage(page).getByRole('heading', { name: 'No usage data available', exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  const healStats = await failCalls(page, statsPath, { message: 'The meter rests.' });
  const healHistory = await failCalls(page, historyPath, { message: 'The meter is read.' });
  await page.reload();
  const alert = usage(page).getByRole('alert');
  await expect(alert.filter({ hasText: "Your usage couldn't be loaded, so its figures show zero." })).toBeVisible();
  for (const figure of ['Credits used0', 'MCP servers used0', 'Tool calls0', 'Average cost0.00credits per call'])
    await expect(usage(page)).toContainText(figure);
  await expect(alert.filter({ hasText: 'Failed to fetch credit usage' })).toContainText('The meter is read.');
  await expectNoAxeFindings(page);
  await healHistory();
  await usage(page).getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(usage(page)).toContainText('No call has been answered yet.');
  await healStats();
  await refresh(page).click();
  await expect(usage(page).getByRole('heading', { name: 'No usage data available', exact: true })).toBeVisible();
});
