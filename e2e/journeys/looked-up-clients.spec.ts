import { rm } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { ScriptedBrowser } from '../../apps/broker/src/testing/scripted-browser.ts';
import { freePort, startProduct, type Product } from '../product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { expect, test as base } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

/** The product behind a proxy that is away: no client's document can be fetched, on any machine. No server is needed. */
const test = base.extend<object, { product: Product }>({
  product: [
    async ({}, use) => {
      const proxy = `http://127.0.0.1:${await freePort()}`;
      const product = await startProduct({
        env: { HTTPS_PROXY: proxy, CLIENT_DOCUMENTS: 'on', SIGN_IN_PER_MINUTE: '1000', BUNDLED_CATALOGUE: 'off' },
      });
      await use(product);
      await product.kill('SIGTERM');
      await rm(product.dataDir, { recursive: true, force: true });
    },
    { scope: 'worker', timeout: 600_000 },
  ],
});

const heading = "Clients that couldn't be looked up";
const claudeCode = {
  clientId: 'https://claude.ai/oauth/claude-code-client-metadata',
  redirectUri: 'http://localhost:4711/callback',
};
const noWay = 'The proxy on the way out opened no way to it.';
const longHost = `assistant-of-the-northern-division.${'department-'.repeat(5)}x.example`;
const longAddress = `https://${longHost}/${'oauth-client-metadata-'.repeat(12)}.json`;

/** Where a client that comes with its document ends: signed in, or refused since it is not known. */
async function comeWith(product: Product, client: { clientId: string; redirectUri?: string }): Promise<string> {
  const email = 'somebody@souk.test';
  return new ScriptedBrowser(product.publicUrl).signInMcpClient({ email, ...client }).then(
    () => 'signed in',
    (error: unknown) => String(error),
  );
}

async function openConnections(page: Page, email: string): Promise<void> {
  await openSignedIn(page, '/dashboard?tab=connections', email);
  await expect(page.getByRole('heading', { name: 'No connection attempts yet', exact: true })).toBeVisible();
}

const faults = (page: Page) => page.getByRole('list', { name: heading, exact: true }).getByRole('listitem');

test('a client whose document cannot be fetched signs in by the copy, and is listed while the page is open', async ({
  page,
  product,
}) => {
  await openConnections(page, 'onlooker@souk.test');
  await expect(page.getByRole('heading', { name: heading, exact: true })).toHaveCount(0);
  expect(await comeWith(product, claudeCode)).toBe('signed in');
  await expect(page.getByRole('heading', { name: heading, exact: true })).toBeVisible();
  await expect(faults(page)).toHaveCount(1);
  const fault = faults(page).first();
  await expect(fault).toContainText('Claude Code');
  await expect(fault).toContainText('Sign-in works');
  await expect(fault).toContainText(noWay);
  await expect(fault).toContainText(claudeCode.clientId);
  await expect(fault).toContainText('Sign-in works with the copy that this server has.');
  await expect(fault).toContainText('let it reach claude.ai');
  await expect(fault).toContainText('once');
  await expectNoAxeFindings(page);
});

test('administrators see the other clients too: whose address is not public, and the longest name at 390 px', async ({
  page,
  product,
}) => {
  for (const clientId of [longAddress, 'https://10.1.2.3/client.json']) {
    expect(await comeWith(product, { clientId })).toContain('stopped at 400');
  }
  expect(await comeWith(product, claudeCode)).toBe('signed in');
  await openConnections(page, 'admin@souk.test');
  await expect(faults(page)).toHaveCount(3);
  const [inside, long] = [faults(page).filter({ hasText: '10.1.2.3' }), faults(page).filter({ hasText: longHost })];
  await expect(inside).toContainText("The document's address is not public.");
  await expect(inside).toContainText("Can't sign in");
  // a firewall is not what keeps a private address from being fetched
  await expect(inside).not.toContainText('firewall');
  await expect(long).toContainText(noWay);
  await expect(long).toContainText(`let this server reach ${longHost}`);

  for (const width of [1280, 390]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth'), 'no screen scrolls sideways').toBe(width);
    const edge = await page.getByRole('region', { name: heading, exact: true }).boundingBox();
    for (const fault of await faults(page).all()) {
      const box = await fault.boundingBox();
      expect(box?.width).toBeLessThanOrEqual(edge?.width ?? 0);
    }
    // an address of a stranger takes two lines, however long it is
    const address = await long.getByText(longAddress).boundingBox();
    expect(address?.height).toBeLessThanOrEqual(40);
  }
  await expectNoAxeFindings(page);

  // by keyboard: the list has nothing to stop at
  await page.getByRole('link', { name: 'Show the link', exact: true }).focus();
  await page.keyboard.press('Tab');
  await expect(page.getByRole('button', { name: 'Run the self-test', exact: true })).toBeFocused();
});
