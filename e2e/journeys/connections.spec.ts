import type { Page } from '@playwright/test';
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import { connectBySignIn } from '../oauth-client.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { failCalls, holdCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

async function openTab(page: Page, email: string, tab: string): Promise<void> {
  await openSignedIn(page, `/dashboard?tab=${tab}`, email);
}

const dashboardTab = (page: Page) =>
  page.getByRole('tablist', { name: 'Dashboard', exact: true }).getByRole('tab', { selected: true });
const partOfConnections = (page: Page) =>
  page.getByRole('tablist', { name: 'Connections', exact: true }).getByRole('tab', { selected: true });

test('a client that signs in, lists and calls is shown step by step while it connects, and the time since then grows', async ({
  page,
  product,
}) => {
  await page.clock.install();
  const email = 'watching@souk.test';
  await openTab(page, email, 'connections');
  await expect(page.getByRole('heading', { name: 'No connection attempts yet', exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Show the link', exact: true }).click();
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
  await expect(row).toContainText('just now');
  await page.clock.fastForward('02:00');
  await expect(row).toContainText('2 minutes ago');
  await expect(row).toContainText('Has called your tools.');
  await row.getByText('Test client').click();
  const steps = page.getByRole('list', { name: 'Steps of Test client 1.0', exact: true }).getByRole('listitem');
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
  // no response of the list may be what renders it again
  await holdCalls(page, '**/connections');
  await page.clock.fastForward('03:00');
  await expect(row).toContainText(/[5-9] minutes ago/);
});

test('a client that works and calls another link too has one step with a warning', async ({ page, product }) => {
  const email = 'two-links@souk.test';
  await openTab(page, email, 'connections');
  const { accessToken } = await new ScriptedBrowser(product.publicUrl).signInMcpClient({
    email,
    clientName: 'Two links',
  });
  const listAt = (path: string) => fetch(product.publicUrl + path, modernRequest(accessToken, 'tools/list'));
  expect((await listAt('/mcp')).status).toBe(200);
  const row = page.getByRole('listitem').filter({ hasText: 'Two links' });
  await expect(row.getByText('Working')).toBeVisible();
  expect((await listAt('/s/calendar/mcp')).status).toBe(401);
  await row.getByText('Two links').click();
  const steps = page.getByRole('list', { name: 'Steps of Two links', exact: true }).getByRole('listitem');
  const warned = steps.filter({ hasText: 'Warning' });
  await expect(warned).toHaveCount(1);
  await expect(warned).toContainText(/^First request/);
  await expect(warned).toContainText(`What to do: Connect it again with ${product.publicUrl}/s/calendar/mcp`);
  await expect(steps.filter({ hasText: 'What to do' })).toHaveCount(1);
  await expect(row.getByText('Working')).toBeVisible();
  await expectNoAxeFindings(page);
});

test('[DASH-6] [DASH-8] the profile is shown, and cannot be changed', async ({ page }) => {
  // the broker's profile of her, unchanged and with fields that the stand-in never sets
  let change: object = {};
  await routeNow(page, '**/v2/user/profile', async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...Object(await response.json()), ...change } });
  });
  await openTab(page, 'carla@souk.test', 'profile');
  const profile = page.getByRole('region', { name: 'Profile', exact: true });
  await expect(profile.getByRole('term')).toHaveText(['Display name', 'E-mail', 'Provider', 'Member since']);
  const facts = profile.getByRole('definition');
  const today = new Intl.DateTimeFormat('en-US', { dateStyle: 'medium', timeZone: 'UTC' }).format(new Date());
  await expect(facts).toHaveText(['carla', 'carla@souk.test', 'Demo sign-in', today]);
  change = { displayName: 'Carla Rossi', provider: 'google', createdAt: '2024-02-29T23:59:59.999Z' };
  await page.reload();
  await expect(facts).toHaveText(['Carla Rossi', 'carla@souk.test', 'Google', 'Feb 29, 2024']);
  await expect(profile.locator('input, textarea, select, [contenteditable]')).toHaveCount(0);
});

test('[GEN-47] the tabs of the dashboard are addresses, and connections that fail to load can be requested again', async ({
  page,
}) => {
  const heal = await failCalls(page, '**/connections', { message: 'The log rests.' });
  await openTab(page, 'tabs@souk.test', 'nonsense');
  await expect(dashboardTab(page)).toHaveText('Connections');
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to load connection attempts' })).toContainText(
    'The log rests.',
  );
  await heal();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No connection attempts yet', exact: true })).toBeVisible();
  await page.getByRole('tab', { name: 'Access tokens', exact: true }).click();
  await expect(page).toHaveURL(/\?tab=connections&part=tokens$/);
  await expect(dashboardTab(page)).toHaveText('Connections');
  const release = await holdCalls(page, '**/connections');
  await page.getByRole('tab', { name: 'Profile', exact: true }).click();
  await page.reload();
  await expect(dashboardTab(page)).toHaveText('Profile');
  await page.getByRole('tab', { name: 'Connections', exact: true }).click();
  await expect(page.getByRole('status').filter({ hasText: 'Loading your connection attempts…' })).toBeVisible();
  release();
  await expect(page.getByRole('heading', { name: 'No connection attempts yet', exact: true })).toBeVisible();
  for (const [former, part, heading] of [
    ['apps', 'Connected apps', 'No connected apps'],
    ['tokens', 'Access tokens', 'No access tokens'],
  ] as const) {
    await page.goto(`/dashboard?tab=${former}`);
    await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
    await expect(dashboardTab(page)).toHaveText('Connections');
    await expect(partOfConnections(page)).toHaveText(part);
    await expect(page, 'the current address').toHaveURL(new RegExp(`\\?tab=connections&part=${former}$`));
  }
  await page.getByRole('tab', { name: 'Setup', exact: true }).click();
  await expect(page).toHaveURL(/\?tab=connections$/);
});

test('the dashboard opens on Connections until a client was answered, and on My Services afterwards', async ({
  page,
  context,
  product,
}) => {
  await openSignedIn(page, '/dashboard', 'opening@souk.test');
  await expect(page.getByText('Waiting for the first call', { exact: true })).toBeVisible();
  await expect(dashboardTab(page)).toHaveText('Connections');
  await callThroughLink(page, product.publicUrl, 'travel__find_airports', { query: 'Zurich' });
  await expect(page.getByText('The first call has arrived', { exact: true })).toBeVisible();
  await expect(dashboardTab(page), 'nothing moves while the user reads').toHaveText('Connections');
  await page.goto('/about');
  await page.getByRole('banner').getByRole('link', { name: 'Dashboard', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'My MCP Services', exact: true })).toBeVisible();
  await expect(dashboardTab(page)).toHaveText('My Services');
  await page.getByRole('tab', { name: 'Connections', exact: true }).click();
  await expect(page.getByText('The first call has arrived', { exact: true })).toBeVisible();

  // a month without a call is not the time before the first one
  await routeNow(page, /\/usage-stats\?days=30$/, async (route) => {
    const answer = Object(await (await route.fetch()).json());
    await route.fulfill({ json: { ...answer, data: { ...answer.data, lastClientAt: null } } });
  });
  await page.goto('/dashboard');
  await expect(dashboardTab(page)).toHaveText('My Services');

  const other = await context.newPage();
  await failCalls(other, '**/usage-stats*', { message: 'The counter rests.' });
  await other.goto('/dashboard');
  await expect(dashboardTab(other), 'without a count the link is needed').toHaveText('Connections');
});
