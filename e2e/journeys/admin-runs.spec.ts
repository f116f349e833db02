import { once } from 'node:events';
import { rm } from 'node:fs/promises';
import { createServer, type Socket } from 'node:net';
import type { Page } from '@playwright/test';
import { changedTools, startHttpFixture } from '../../apps/broker/src/testing/servers/mcp-fixture.ts';
import { startProduct } from '../product.ts';
import { administratorCalls } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

const administrator = 'admin@souk.test';
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const runOf = (page: Page) => page.getByRole('region', { name: /^(Reload All|Deploy All from Staging) / });
const itemOf = (page: Page, id: string) => runOf(page).getByRole('listitem').filter({ hasText: id });

/** Returns the paths of calls about manifests that change something, as they are sent. */
function postsOf(page: Page): string[] {
  const posts: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'GET' && pathname.startsWith('/admin/manifests')) posts.push(pathname);
  });
  return posts;
}

const manifest = (id: string, url: string) => ({
  id,
  name: id,
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'A server of a test.',
  category: 'data',
  connection: { type: 'http', url },
  deadlines: { connectMs: 30_000, listMs: 60_000 },
});

test.use({ reducedMotion: 'reduce' });

test('[ADM-13] a reload asks first with numbers and names, shows each server as it is done, and its result until it is dismissed', async ({
  page,
}) => {
  const posts = postsOf(page);
  await openSignedIn(page, '/admin', administrator);
  await button(page, 'Reload All').click();
  const dialog = page.getByRole('alertdialog', { name: 'Reload 9 deployed servers?', exact: true });
  await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
  await expect(dialog).toHaveCount(0);
  await button(page, 'Reload All').click();
  await expect(dialog.getByRole('listitem').filter({ hasText: 'Sequential Thinking' })).toBeVisible();
  await expectNoAxeFindings(page);
  expect(posts, 'nothing before the confirmation').toEqual([]);
  const asked = page.waitForResponse('**/admin/manifests/reload');
  await dialog.getByRole('button', { name: 'Reload all', exact: true }).click();
  // on a busy machine a program may take longer than the reload waits
  const { reloadedCount, errors } = Object(await (await asked).json());
  expect(reloadedCount + errors.length).toBe(9);
  expect(posts).toEqual(['/admin/manifests/reload']);
  const result = `${reloadedCount} reloaded, ${errors.length} failed.`;
  await expect(runOf(page).getByRole('heading', { name: 'Reload All has ended', exact: true })).toBeVisible();
  await expect(runOf(page).getByRole('status')).toHaveText(result);
  await expect(runOf(page)).toContainText(administrator);
  await expect(itemOf(page, 'travel-enterprise')).toContainText('Done');
  await expectNoAxeFindings(page);
  await page.reload();
  await expect(runOf(page).getByRole('status')).toHaveText(result);
  await button(page, 'Dismiss').click();
  await expect(runOf(page)).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole('row', { name: /^Travel 1/ })).toBeVisible();
  await expect(runOf(page)).toHaveCount(0);
});

test('equal failures of a run are one expandable row, and a long run leaves the list of manifests in view; a server that was deployed a moment ago connects there without a reload', async ({
  page,
}) => {
  const runId = '01a21b39-2b63-75ad-8e79-4f42248c399c';
  const at = '2026-11-20T12:00:00.000Z';
  const head = { id: runId, kind: 'reload', status: 'done', startedAt: at, endedAt: at, startedBy: null, reason: null };
  const item = (index: number, more: object) => ({ id: `server-${index}`, name: `Server ${index}`, ...more });
  const refused = { status: 'failed', message: 'connection refused' };
  const items = [
    ...Array.from({ length: 12 }, (_, index) => item(index, refused)),
    item(12, { status: 'failed', message: 'timeout' }),
    ...Array.from({ length: 40 }, (_, index) => item(13 + index, { status: 'done' })),
  ];
  await routeNow(page, '**/admin/manifest-runs', (route) =>
    route.fulfill({ json: { success: true, runs: [{ ...head, total: 53, done: 40, failed: 13 }] } }),
  );
  await routeNow(page, `**/admin/manifests/runs/${runId}`, (route) =>
    route.fulfill({ json: { success: true, run: { ...head, items } } }),
  );
  let isConnecting = true;
  await routeNow(page, '**/admin/manifests?*', async (route) => {
    const answer = await route.fetch();
    const list = Object(await answer.json());
    const travel = list.manifests.find(({ id }: { id: string }) => id === 'travel');
    // as between the deployment and the first response of the server
    if (isConnecting && travel) {
      Object.assign(travel, { status: 'disconnected', capabilities: { tools: 0, prompts: 0, resources: 0 } });
    }
    await route.fulfill({ response: answer, json: list });
  });
  await page.setViewportSize({ width: 1280, height: 900 });
  await openSignedIn(page, '/admin', administrator);
  await expect(runOf(page).getByRole('status')).toHaveText('40 reloaded, 13 failed.');
  const rows = runOf(page).getByRole('list', { name: 'Manifests of this run', exact: true }).locator('> li');
  await expect(rows).toHaveCount(20);
  await expect(rows.first()).toHaveText(/^12 servers.*Failed.*connection refused$/s);
  await expect(rows.nth(1)).toHaveText(/^Server 12server-12.*Failed.*timeout$/s);
  await rows.first().getByText('12 servers', { exact: true }).click();
  await expect(rows.first().getByText('Server 11', { exact: true })).toBeVisible();
  const card = await runOf(page).boundingBox();
  expect(card?.height ?? Infinity, 'of 900 px').toBeLessThan(450);
  await expectNoAxeFindings(page);
  const row = page.getByRole('row', { name: /^Travel 1/ });
  await expect(row).toContainText('Connecting…');
  isConnecting = false;
  await expect(row).toContainText(/Tools \d/);
  await expect(row).not.toContainText('Connecting…');
});

test('a run continues when its tab is closed, and is opened again: a deploy-all whose server is silent, and one that says first what it does', async ({
  browser,
}) => {
  const sockets = new Set<Socket>();
  const silent = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const address = silent.address();
  const port = typeof address === 'object' && address ? address.port : 0;
  const fixture = await startHttpFixture('both');
  const allowed = `127.0.0.1:${port},${fixture.address}`;
  const product = await startProduct({ env: { BUNDLED_CATALOGUE: 'off', UPSTREAM_ALLOW_ADDRESSES: allowed } });
  const context = await browser.newContext({ baseURL: product.publicUrl, reducedMotion: 'reduce' });
  let page = await context.newPage();
  try {
    const calls = await administratorCalls(product.publicUrl);
    const stage = (text: object) => calls.createManifest({ query: {}, body: JSON.stringify(text) });
    const turncoat = { ...manifest('turncoat', fixture.url), billing: { tier: 'T0', toolCosts: { echo: 2 } } };
    await stage(turncoat);
    const deployed = await calls.deployManifest({ params: { id: 'turncoat' }, body: {} });
    expect(deployed.manifest.capabilities.tools).toBe(changedTools.length);
    await openSignedIn(page, '/admin', administrator);
    const stageText = async (text: ReturnType<typeof manifest> & Record<string, unknown>) => {
      await button(page, 'Paste JSON Text').click();
      await page.getByLabel('Manifest JSON').fill(JSON.stringify(text));
      await button(page, 'Upload Manifest').click();
      const told = page.getByRole('region', { name: 'Upload Manifest', exact: true });
      await expect(told).toContainText(`${text.id} ${text.version} is staged.`);
    };
    await stageText(manifest('silent', `http://127.0.0.1:${port}/mcp`));
    const posts = postsOf(page);
    await button(page, 'Deploy All from Staging 1 staged').click();
    const first = page.getByRole('alertdialog', { name: 'Deploy 1 staged manifest?', exact: true });
    await first.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect(first).toHaveCount(0);
    await button(page, 'Deploy All from Staging 1 staged').click();
    await expect(first).toBeVisible();
    expect(posts, 'nothing before the confirmation').toEqual([]);
    await first.getByRole('button', { name: 'Deploy all', exact: true }).click();
    await expect(itemOf(page, 'silent')).toContainText('Deployed, connecting');
    await page.close();
    page = await context.newPage();
    await page.goto('/admin');
    // the broker waits at most 30 s for the server: first what is shown meanwhile, then what takes its time
    await expect(
      runOf(page).getByRole('heading', { name: 'Deploy All from Staging is under way', exact: true }),
    ).toBeVisible();
    await expect(itemOf(page, 'silent')).toContainText('Deployed, connecting');
    await expect(runOf(page).getByRole('status')).toHaveText('0 of 1 done.');
    await expect(runOf(page).getByRole('progressbar')).toHaveAttribute('aria-valuemax', '1');
    const deployAll = page.getByRole('button', { name: /^Deploy All from Staging/ });
    await expect(deployAll, 'it spins').toHaveAttribute('aria-busy', 'true');
    await expectNoAxeFindings(page);
    for (const socket of sockets) socket.destroy();
    await expect(
      runOf(page).getByRole('heading', { name: 'Deploy All from Staging has ended', exact: true }),
    ).toBeVisible();
    await expect(runOf(page).getByRole('status')).toHaveText('1 deployed, 0 failed. 1 deployed server is failing.');
    await expect(itemOf(page, 'silent')).toContainText(
      /Deployed, failing.*It is live, but the server has not answered yet: discovery continues\.$/s,
    );
    await expectNoAxeFindings(page);

    // by now one refuses connections, and the other has different tools than those that were trusted
    silent.close();
    for (const socket of sockets) socket.destroy();
    fixture.setTools(changedTools);
    await button(page, 'Reload All').click();
    await page.getByRole('alertdialog').getByRole('button', { name: 'Reload all', exact: true }).click();
    await expect(runOf(page).getByRole('heading', { name: 'Reload All has ended', exact: true })).toBeVisible();
    await expect(runOf(page).getByRole('status')).toHaveText('1 reloaded, 1 failed.');

    await stage(manifest('first', 'service:travel'));
    await stageText({ ...turncoat, version: '1.1.0', billing: { tier: 'T0', toolCosts: { echo: 5 } } });
    await expect(page.getByText('1 tool is under review, and hidden from everyone')).toBeVisible();
    await button(page, 'Deploy All from Staging 2 staged').click();
    const dialog = page.getByRole('alertdialog', { name: 'Deploy 2 staged manifests?', exact: true });
    const trusted = 'a new version trusts all tools as the server offers them then, including these.';
    await expect(dialog.getByRole('list', { name: 'Combined effects', exact: true })).toHaveText(
      `1 tool is under review, at 1 server: ${trusted}`,
    );
    const rows = dialog.getByRole('list', { name: 'Manifests to deploy', exact: true }).locator('> li');
    await expect(rows).toHaveCount(2);
    await expect(rows.first()).toContainText(/^turncoat1\.0\.0 -> 1\.1\.0No one rents this server/);
    await expect(rows.first()).toContainText(`1 tool is under review: ${trusted}`);
    await expect(rows.first()).toContainText('the new prices of 1 tool (1 higher, 0 lower)');
    await rows.first().getByText('2 fields change').click();
    await expect(rows.first().getByText('price of echo: 2 -> 5 credits a call')).toBeVisible();
    await expect(rows.last()).toContainText(/^first1\.0\.0It appears in the shop\./);
    await expectNoAxeFindings(page);
    const sent = page.waitForRequest('**/admin/manifests/deploy-all');
    await dialog.getByLabel('Reason (optional)').fill('The release of Monday');
    await dialog.getByRole('button', { name: 'Deploy all', exact: true }).click();
    expect((await sent).postDataJSON()).toEqual({ reason: 'The release of Monday' });
    await page.close();
    page = await context.newPage();
    await page.goto('/admin');
    await expect(
      runOf(page).getByRole('heading', { name: 'Deploy All from Staging has ended', exact: true }),
    ).toBeVisible();
    await expect(runOf(page).getByRole('status')).toHaveText('2 deployed, 0 failed.');
    await expect(runOf(page)).toContainText('The release of Monday');
    await expect(itemOf(page, 'first')).toContainText('Done');
    await expect(page.getByRole('row', { name: /^first 1\.0\.0/ })).toContainText('Active');
    await expectNoAxeFindings(page);
  } finally {
    for (const socket of sockets) socket.destroy();
    silent.close();
    await fixture.close();
    await context.close();
    await product.kill('SIGTERM');
    await rm(product.dataDir, { recursive: true, force: true });
  }
});
