import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { getServer } from '@souk/contract/catalogue/catalogue-search.ts';
import { createClient } from '@souk/contract/client.ts';
import type { Locator, Page } from '@playwright/test';
import { startHttpFixture, type HttpFixture } from '../../apps/broker/src/testing/servers/mcp-fixture.ts';
import { startTcpProxy, type TcpProxy } from '../../apps/broker/src/testing/network/tcp-proxy.ts';
import { waitUntil } from '../../apps/broker/src/testing/wait-until.ts';
import { newDataDir, startProduct, type Product } from '../product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { payAndReturn } from './pay-with-card.ts';
import { expect, test as base } from './product-test.ts';
import { cardOf } from './shop-page.ts';
import { openSignedIn } from './sign-in.ts';

// A server that really goes down and comes back, and how its users and buyers are informed.

const test = base.extend<object, { product: Product; way: TcpProxy }>({
  way: [
    async ({}, use) => {
      const fixture: HttpFixture = await startHttpFixture();
      const { hostname: host, port } = new URL(fixture.url);
      const way = await startTcpProxy({ host, port: Number(port) });
      await use(way);
      await way.close();
      await fixture.close();
    },
    { scope: 'worker' },
  ],
  product: [
    async ({ way }, use) => {
      const dataDir = await newDataDir();
      const own = join(dataDir, 'own');
      await mkdir(own);
      for (const name of ['Harbor', 'Ferry']) await writeFile(join(own, `${name}.json`), manifest(name, way.port));
      // nothing ever responds there
      await writeFile(join(own, 'Raft.json'), manifest('Raft', 9));
      const product = await startProduct({
        dataDir,
        env: {
          BUNDLED_CATALOGUE: 'off',
          CATALOGUE_DIR: own,
          HEALTH_INTERVAL_MS: '200',
          UPSTREAM_ALLOW_ADDRESSES: `127.0.0.1:${way.port},127.0.0.1:9`,
        },
      });
      await use(product);
      await product.kill('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 600_000 },
  ],
});
test.use({ reducedMotion: 'reduce' });

const manifest = (name: string, port: number) =>
  JSON.stringify({
    id: name.toLowerCase(),
    name,
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'Sails.',
    category: 'data',
    connection: { type: 'http', url: `http://127.0.0.1:${port}/mcp` },
    billing: { tier: 'T2', rental: { price: 900, currency: 'USD' }, trialDays: 7 },
  });

async function untilEach(product: Product, what: string, is: (downSince: string | undefined) => boolean) {
  const { getServer: read } = createClient([getServer] as const, { baseUrl: product.publicUrl, fetch });
  for (const serverId of ['harbor', 'ferry']) {
    await waitUntil(`${serverId} to be ${what}`, async () => {
      const { server } = await read({ params: { serverId } });
      return is(server.downSince) && (server.downSince !== undefined || server.status === 'connected');
    });
  }
}

const dialogOf = (page: Page, name: string) => page.getByRole('dialog', { name: `Rent ${name}`, exact: true });
const payIn = (dialog: Locator) => dialog.getByRole('button', { name: 'Continue to payment', exact: true });
const anywayIn = (dialog: Locator) => dialog.getByRole('checkbox', { name: 'Rent it anyway', exact: true });
const isDown = /Disconnected since [A-Z][a-z]{2} \d+, 20\d\d, .*: The server (cannot be reached|closed the connection)/;

/** Whether an element's text is rendered in red. */
async function isPaintedRed(locator: Locator): Promise<boolean> {
  const colour: string = await locator.evaluate((element) => getComputedStyle(element).color);
  const [r = 0, g = 0, b = 0] = (colour.match(/[\d.]+/g) ?? []).map(Number);
  return r > Math.max(g, b) + 60;
}

test('a service that goes down says so on its cards, its page and in My Services, asks before it is rented or tried, and no longer says so once it is back', async ({
  page,
  product,
  way,
}) => {
  test.slow();
  await untilEach(product, 'up', (since) => since === undefined);
  await openSignedIn(page, '/service/harbor?purchase=rental', 'sails@souk.test');
  await expect(anywayIn(dialogOf(page, 'Harbor'))).toHaveCount(0);
  await expect(dialogOf(page, 'Harbor')).toContainText('All calls to Harbor are included.');
  await page.goto('/service/raft?purchase=rental');
  await expect(dialogOf(page, 'Raft'), 'with unknown tools').toContainText(
    'The tools of Raft appear once it can be reached. Some of their calls may cost credits.',
  );
  await page.goto('/service/harbor?purchase=rental');
  await payIn(dialogOf(page, 'Harbor')).click();
  await payAndReturn(page);

  await way.stop();
  await untilEach(product, 'down', (since) => since !== undefined);
  for (const view of ['/marketplace', '/marketplace?view=live']) {
    await page.goto(view);
    const line = cardOf(page, 'Ferry').getByText(isDown);
    await expect(line, view).toBeVisible();
    expect(await isPaintedRed(line), view).toBe(true);
  }

  await page.goto('/dashboard?tab=services');
  const rented = page.getByRole('article', { name: 'Harbor', exact: true });
  await expect(rented.getByText(isDown)).toBeVisible();
  expect(await isPaintedRed(rented.getByText(isDown))).toBe(true);
  await expect(rented.getByText('disconnected', { exact: true }), 'in the word of the marketplace').toBeVisible();
  await expect(rented).toContainText('Its calls fail and are not charged. Your rental continues; you can cancel it.');
  const access = await rented
    .getByText('Rented - active', { exact: true })
    .evaluate((element) => getComputedStyle(element).color);
  const idle = await page
    .getByRole('article', { name: 'Ferry', exact: true })
    .getByText('Not Owned', { exact: true })
    .evaluate((element) => getComputedStyle(element).color);
  expect(access, 'it has no green tick').toBe(idle);
  await expect(rented.getByRole('button', { name: 'Cancel Rental of Harbor', exact: true })).toBeEnabled();
  await expectNoAxeFindings(page);

  await page.goto('/service/harbor');
  await expect(page.getByText('On, but calls to Harbor currently fail.')).toBeVisible();
  await page.goto('/service/ferry');
  await expect(page.getByRole('main').getByRole('alert')).toContainText(
    /The server .*Disconnected since [A-Z][a-z]{2} \d+, 20\d\d, .* Calls fail and are not charged\./,
  );
  await page.getByRole('button', { name: 'Start 7-day trial of Ferry', exact: true }).click();
  const trial = page.getByRole('alertdialog', { name: 'Start the trial of Ferry now?', exact: true });
  await expect(trial).toContainText(isDown);
  await expect(trial).toContainText('You can start this trial only once, and its 7 days begin now.');
  await expectNoAxeFindings(page);
  await trial.getByRole('button', { name: 'Not now', exact: true }).click();
  await expect(trial).toHaveCount(0);

  await page.clock.install();
  await page.goto('/service/ferry?purchase=rental');
  const dialog = dialogOf(page, 'Ferry');
  await expect(dialog.getByRole('alert')).toContainText(isDown);
  await expect(dialog.getByRole('alert')).toContainText(
    'Calls to Ferry fail until it is back, and are not charged. The month you pay for starts anyway.',
  );
  await expect(payIn(dialog)).toBeDisabled();
  await expectNoAxeFindings(page);
  await anywayIn(dialog).press('Space');
  await expect(payIn(dialog)).toBeEnabled();
  await anywayIn(dialog).press('Space');
  await expect(payIn(dialog)).toBeDisabled();

  await way.resume();
  await untilEach(product, 'up', (since) => since === undefined);
  await page.clock.fastForward(15_000);
  await expect(anywayIn(dialog), 'the open dialog is updated').toHaveCount(0);
  await expect(payIn(dialog)).toBeEnabled();
  await way.stop();
  await untilEach(product, 'down', (since) => since !== undefined);
  await payIn(dialog).click();
  await expect(
    dialog.getByText('Calls to the service are failing right now. Please decide again before you pay.'),
  ).toBeVisible();
  await expect(anywayIn(dialog), 'of what the dialog did not know').not.toBeChecked();
  await expect(payIn(dialog)).toBeDisabled();
  await way.resume();
  await untilEach(product, 'up', (since) => since === undefined);
  await page.goto('/dashboard?tab=services');
  await expect(rented).toContainText('Rented - active');
  await expect(rented).not.toContainText(/disconnected/i);

  await way.stop();
  await untilEach(product, 'down', (since) => since !== undefined);
  await page.clock.fastForward(60_000);
  await expect(rented.getByText(isDown), 'the open list is updated').toBeVisible();
  await page.getByRole('button', { name: 'Purchase Ferry', exact: true }).click();
  await anywayIn(dialog).press('Space');
  await payIn(dialog).press('Enter');
  await expect(page.getByRole('button', { name: 'Subscribe for $9/month', exact: true })).toBeVisible();
});

test("an administrator who waits on a server's page sees it go down, since when, and come back, without a reload", async ({
  page,
  product,
  way,
}) => {
  await way.resume();
  await untilEach(product, 'up', (since) => since === undefined);
  await page.clock.install();
  await openSignedIn(page, '/admin?tab=manifests&id=harbor', 'admin@souk.test');
  const head = page.getByRole('main');
  await expect(head.getByText('connected', { exact: true })).toBeVisible();
  await expect(head.getByText('Answered calls')).toBeVisible();
  /** Expects a text that is rendered after some timers without delay. */
  const shows = (text: Locator) =>
    expect(async () => {
      await page.clock.runFor(10);
      await expect(text).toBeVisible({ timeout: 250 });
    }).toPass();
  // from here on time passes only when the test says so: the page's other timers run every 30 s
  await page.clock.pauseAt(new Date(await page.evaluate('Date.now() + 1000')));
  await way.stop();
  await untilEach(product, 'down', (since) => since !== undefined);
  await page.clock.runFor(10_000);
  await shows(head.getByText('disconnected', { exact: true }));
  await shows(head.getByText(/^since [A-Z][a-z]{2} \d+, 20\d\d, \d+:\d\d [AP]M$/));
  await way.resume();
  await untilEach(product, 'up', (since) => since === undefined);
  await page.clock.runFor(1_500);
  await shows(head.getByText('connected', { exact: true }));
});
