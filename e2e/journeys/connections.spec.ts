import type { Page } from '@playwright/test';
import { connectBySignIn } from '../oauth-client.ts';
import { failCalls, holdCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { signIn } from './sign-in.ts';

async function openTab(page: Page, email: string, tab: string): Promise<void> {
  await page.goto('/');
  await signIn(page, email);
  await page.goto(`/dashboard?tab=${tab}`);
}

const dashboardTab = (page: Page) =>
  page.getByRole('tablist', { name: 'Dashboard' }).getByRole('tab', { selected: true });

test('a client that signs in, lists and calls is seen step by step while it comes', async ({ page, product }) => {
  const email = 'watching@souk.test';
  await openTab(page, email, 'connections');
  await expect(page.getByRole('heading', { name: 'No connection attempts yet' })).toBeVisible();
  await page.getByRole('link', { name: 'Show the link' }).click();
  await expect(page.getByLabel('Your link', { exact: true })).toBeInViewport();

  const { client } = await connectBySignIn(`${product.publicUrl}/mcp`, email, 'legacy');
  const row = page.getByRole('listitem').filter({ hasText: 'Test client' });
  await expect(row).toHaveCount(1);
  const { tools } = await client.listTools();
  await client.callTool({
    name: tools.find(({ name }) => name.includes('echo'))?.name ?? '',
    arguments: { message: 'a' },
  });
  await client.close();
  await expect(row.getByText('Working')).toBeVisible();
  await expect(row).toContainText('Has called your tools.');
  await row.getByText('Test client').click();
  const steps = page.getByRole('list', { name: 'Steps of Test client' }).getByRole('listitem');
  await expect(steps).toHaveText([
    /^Registration/,
    /^Authorization/,
    /^Consent/,
    /^Token/,
    /^First request/,
    /^Protocol/,
    /^Tools listed/,
    /^First call/,
  ]);
  await expect(steps.filter({ hasText: 'Passed' })).toHaveCount(8);
});

test('[DASH-6] [DASH-8] the profile is shown, and is not to be changed', async ({ page }) => {
  await openTab(page, 'carla@souk.test', 'profile');
  const profile = page.getByRole('region', { name: 'Profile' });
  for (const fact of ['Display name', 'carla@souk.test', 'Demo sign-in', 'Member since']) {
    await expect(profile).toContainText(fact);
  }
  await expect(profile.getByRole('textbox')).toHaveCount(0);
});

test('[GEN-47] the tabs of the dashboard are addresses, and connections that fail to load can be asked for again', async ({
  page,
}) => {
  const heal = await failCalls(page, '**/connections', { message: 'The log rests.' });
  await openTab(page, 'tabs@souk.test', 'nonsense');
  await expect(dashboardTab(page)).toHaveText('Connections');
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to load connection attempts' })).toContainText(
    'The log rests.',
  );
  await heal();
  await page.getByRole('button', { name: 'Retry' }).click();
  await expect(page.getByRole('heading', { name: 'No connection attempts yet' })).toBeVisible();
  await page.getByRole('tab', { name: 'Access tokens' }).click();
  await expect(page).toHaveURL(/\?tab=tokens$/);
  const release = await holdCalls(page, '**/connections');
  await page.getByRole('tab', { name: 'Profile' }).click();
  await page.reload();
  await expect(dashboardTab(page)).toHaveText('Profile');
  await page.getByRole('tab', { name: 'Connections' }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Loading your connection attempts…' })).toBeVisible();
  release();
  await expect(page.getByRole('heading', { name: 'No connection attempts yet' })).toBeVisible();
});
