import { getSpendCap } from '@souk/contract/billing/billing.ts';
import { listPriceRises } from '@souk/contract/billing/price-rises.ts';
import { getServerRecord } from '@souk/contract/catalogue/server-record.ts';
import type { UsageStats } from '@souk/contract/usage.ts';
import type { Page } from '@playwright/test';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

/**
 * One zone is behind UTC, so that the first moment of a day belongs to the day before; one is ahead, by a fraction of
 * an hour, so that the last moment belongs to the day after.
 */
const zones = [
  ['America/Los_Angeles', '2027-01-01T00:00:00.000Z'],
  ['Asia/Kathmandu', '2027-01-01T23:59:59.000Z'],
] as const;

for (const [timezoneId, edge] of zones) {
  test.describe(timezoneId, () => {
    test.use({ timezoneId });

    test('limits, prices, usage and uptime use days of UTC, and say so', async ({ page }) => {
      expect(new Date(edge).toLocaleDateString('en-US', { timeZone: timezoneId })).not.toBe('1/1/2027');
      await openSignedIn(page, '/marketplace', `reads-${timezoneId.split('/')[1]?.toLowerCase()}@souk.test`);
      await test.step('the day on which the monthly limit starts again', async () => {
        await routeNow(page, '**/api/users/*/spend-cap', async (route) => {
          const answer = getSpendCap.answer.parse(await (await route.fetch()).json());
          await route.fulfill({ json: { ...answer, resetsAt: edge } });
        });
        await page.goto('/dashboard?tab=billing');
        await expect(page.getByRole('region', { name: 'Monthly limit', exact: true })).toContainText(
          'Resets on Jan 1, 2027 UTC.',
        );
      });
      await test.step('prices that will rise, and that have risen', async () => {
        await announce(page, edge);
        await page.goto('/dashboard');
        await expect(page.getByRole('status').filter({ hasText: 'rises from 1 to 9 credits' })).toContainText(
          'on Jan 1, 2027 UTC.',
        );
        await page.goto('/prices');
        await expect(page.getByRole('region', { name: 'Announced', exact: true }).getByRole('listitem')).toContainText(
          'From Jan 1, 2027 UTC',
        );
        await expect(page.getByRole('region', { name: /^Waiting for you/ }).getByRole('listitem')).toContainText(
          'Since Jan 1, 2027 UTC',
        );
      });
      await test.step('the days of usage, and the dates of their axis', async () => {
        await routeNow(page, '**/usage-stats*', (route) => route.fulfill({ json: { success: true, data: oneDay } }));
        await page.goto('/dashboard?tab=usage');
        const chart = page.getByRole('figure').filter({ hasText: 'Tool calls by day (UTC)' });
        await expect(chart.getByRole('row', { name: /^Nov 5, 2026 UTC/ })).toHaveText('Nov 5, 2026 UTC74');
        await expect(chart.getByText(/^Nov \d+$/)).toHaveText(['Nov 1', 'Nov 11', 'Nov 20', 'Nov 30']);
      });
      await test.step('the days of uptime, the first of 30 being 29 days ago', async () => {
        await routeNow(page, '**/api/catalogue/servers/travel/record', async (route) => {
          const answer = getServerRecord.answer.parse(await (await route.fetch()).json());
          const days = novemberDays.map((day) => ({ day, percent: 100 }));
          await route.fulfill({ json: { ...answer, days } });
        });
        await page.goto('/service/travel');
        const days = page.getByRole('table', { name: 'Uptime by day', exact: true }).getByRole('rowheader');
        await expect(days).toHaveCount(30);
        await expect(days.first()).toHaveText('Nov 1, 2026 UTC');
        await expect(days.last()).toHaveText('Nov 30, 2026 UTC');
        await expect(page.getByRole('region', { name: 'Server Information', exact: true })).toContainText(
          '29 days agoToday (UTC)',
        );
      });
    });
  });
}

const novemberDays = Array.from({ length: 30 }, (_, index) => `2026-11-${String(index + 1).padStart(2, '0')}`);

const oneDay: UsageStats = {
  totalCreditsUsed: 4,
  totalToolCalls: 7,
  answeredToolCalls: 7,
  averageCost: 0.57,
  usageByMcp: [
    { mcpId: 'travel', toolCalls: 7, answeredToolCalls: 7, averageCost: 0.57, totalCredits: 4, lastClientAt: null },
  ],
  usageByTool: [],
  usageByDay: novemberDays.map((date, index) => ({
    date,
    toolCalls: index === 4 ? 7 : 0,
    answeredToolCalls: index === 4 ? 7 : 0,
    totalCredits: index === 4 ? 4 : 0,
  })),
  usageByMcpAndDay: [{ mcpId: 'travel', answeredToolCalls: novemberDays.map((_, index) => (index === 4 ? 7 : 0)) }],
  lastCallAt: null,
  lastAnsweredAt: null,
  lastClientAt: null,
};

/** Announces one price that has risen, and one that will rise. */
function announce(page: Page, at: string): Promise<() => Promise<void>> {
  const tool = { serverId: 'travel', serverName: 'Travel', tool: 'distance', toolName: 'Distance between airports' };
  return routeNow(page, '**/api/billing/price-rises*', async (route) => {
    const rises = route.request().frame().url().endsWith('/prices')
      ? [{ ...tool, tool: 'airport', toolName: 'Airport', oldCredits: 0, newCredits: 2, raisedAt: at }]
      : [];
    const answer = { success: true, rises, coming: [{ ...tool, credits: 1, comingCredits: 9, from: at }] };
    await route.fulfill({ json: listPriceRises.answer.parse(answer) });
  });
}
