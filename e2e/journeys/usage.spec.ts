import type { CreditUsage } from '@souk/contract/billing-history.ts';
import type { UsageStats } from '@souk/contract/usage.ts';
import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
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

/** More than is shown: twelve services, and twelve calls, of which the first has both counts of tokens. */
const credits = [3700, ...Array.from({ length: 11 }, () => 1)];
const stats: UsageStats = {
  totalCreditsUsed: 3711,
  totalToolCalls: 1234,
  answeredToolCalls: 1200,
  averageCost: 3.01,
  usageByMcp: credits.map((totalCredits, index) => ({
    mcpId: index === 0 ? 'travel' : `service-${index}`,
    toolCalls: index === 0 ? 1003 : 21,
    answeredToolCalls: 20,
    averageCost: index === 0 ? 3.7 : 0,
    totalCredits,
  })),
  usageByTool: [],
  usageByDay: Array.from({ length: 30 }, (_, index) => ({
    date: `2026-11-${String(index + 1).padStart(2, '0')}`,
    toolCalls: index === 4 ? 1200 : index % 3,
    answeredToolCalls: 0,
    totalCredits: index,
  })),
  lastCallAt: null,
  lastAnsweredAt: null,
};
const charges: CreditUsage[] = credits.map((amount, index) => ({
  id: `call-${index}`,
  mcpId: 'travel',
  toolName: `tool_${index}`,
  amount,
  timestamp: new Date(Date.now() - (index + 1) * 3_600_000).toISOString(),
  metadata: index === 0 ? { promptTokens: 1000, responseTokens: 234 } : index === 1 ? { responseTokens: 7 } : {},
}));

/** Signed in, with what a person used prepared. */
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

test('[USE-1] [USE-2] [USE-3] [USE-4] the Usage tab has the figures of 30 days, and holds on a phone', async ({
  page,
}) => {
  await prepareUse(page, 'has-figures@souk.test');
  await page.goto('/dashboard?tab=usage');
  await expect(page.getByRole('heading', { level: 2, name: 'Credit Usage', exact: true })).toBeVisible();
  await expect(usage(page)).toContainText('The last 30 days.');
  for (const figure of [
    'Credits used3,711',
    'MCP servers used12',
    'Tool calls1,234',
    'Average cost3.01credits per call',
  ])
    await expect(usage(page)).toContainText(figure);
  const day = page
    .getByRole('table', { name: 'Tool calls by day', exact: true })
    .getByRole('row', { name: /^Nov 5, 2026/ });
  await expect(day).toHaveText('Nov 5, 20261,2004');
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
    await expectNoAxeFindings(page);
  }
});

test('[USE-5] [USE-6] Usage by Service has ten services, each with calls, average and total', async ({ page }) => {
  await prepareUse(page, 'uses-services@souk.test');
  await page.goto('/dashboard?tab=usage');
  await expect(page.getByRole('heading', { name: 'Usage by Service', exact: true })).toBeVisible();
  await expect(services(page)).toHaveCount(11);
  await expect(services(page).nth(1)).toHaveText('Travel1,0033.73,700');
  await expect(services(page).nth(10)).toHaveText('service-9210.01');
});

test('[USE-7] [USE-9] [USE-10] Recent Activity has ten entries, each with service, tool, time, credits and tokens', async ({
  page,
}) => {
  await prepareUse(page, 'is-active@souk.test');
  await page.goto('/dashboard?tab=usage');
  await expect(page.getByRole('heading', { name: 'Recent Activity', exact: true })).toBeVisible();
  await expect(activity(page)).toHaveCount(10);
  await expect(activity(page).first()).toHaveText('tool_0Travel · 1 hour ago3,700 credits1,234 tokens');
  await expect(activity(page).nth(1)).toHaveText('tool_1Travel · 2 hours ago1 credit7 tokens');
  await expect(activity(page).nth(2)).toHaveText('tool_2Travel · 3 hours ago1 credit');
});

test('[USE-11] [HIST-15] [HIST-16] without calls the Usage tab says so; what cannot be fetched says so, and falls back to zeros', async ({
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
  await expect(usage(page)).toContainText('No call has cost credits yet.');
  await healStats();
  await refresh(page).click();
  await expect(usage(page).getByRole('heading', { name: 'No usage data available', exact: true })).toBeVisible();
});
