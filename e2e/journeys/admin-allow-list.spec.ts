import { mkdtemp, rm } from 'node:fs/promises';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Page } from '@playwright/test';
import { isOfPrivateNetwork } from '../../apps/broker/src/platform/http/outgoing/limited-entry.ts';
import { startDemandingServer } from '../../apps/broker/src/testing/servers/demanding-server.ts';
import { startPackageRegistry, type PackageRegistry } from '../../apps/broker/src/testing/servers/package-registry.ts';
import { sandboxProblem } from '../../apps/broker/src/testing/network/sandbox-works.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { startCompanyProduct, type CompanyProduct } from './company-product.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';
import { administrator } from './administrator-calls.ts';

// An administrator allows a server of the company's own network in the browser.

test.use({ reducedMotion: 'reduce' });
let shared: CompanyProduct | undefined;
let registry: PackageRegistry | undefined;
let folder = '';
test.beforeAll(async ({ browser }) => {
  folder = await mkdtemp(join(tmpdir(), 'souk-allowed-'));
  registry = await startPackageRegistry(folder);
  shared = await startCompanyProduct(browser, {
    ADMIN_MAY_ALLOW: 'addresses,packages',
    npm_config_registry: registry.url,
    UPSTREAM_ALLOW_ADDRESSES: '10.20.0.0/16',
  });
});
test.afterEach(() => shared?.closePages());
test.afterAll(async () => {
  await shared?.close();
  await registry?.close();
  await rm(folder, { recursive: true, force: true });
});

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialogOf = (page: Page, name: string) => page.getByRole('alertdialog', { name, exact: true });
const itemOf = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });
const own = Object.values(networkInterfaces())
  .flatMap((found) => found ?? [])
  .map(({ address }) => address)
  .find(isOfPrivateNetwork);

test('an address is refused with a reason, allowed after a new sign-in, used by a server, and removed', async () => {
  test.skip(own === undefined, 'this machine has no address in a private network');
  if (!shared) throw new Error('the product is not running');
  const server = await startDemandingServer('authorization', { host: own, accept: [] });
  const page = await shared.pageOf('ana', '/admin?tab=allowed', 20 * 60);
  await expect(itemOf(page, '10.20.0.0/16')).toContainText('Set by the operator');
  await expectNoAxeFindings(page);

  await button(page, 'Allow an address').click();
  const dialog = dialogOf(page, 'Allow a private address');
  const field = dialog.getByLabel('Host and port');
  const allow = dialog.getByRole('button', { name: 'Allow address', exact: true });
  await allow.click();
  await expect(dialog).toContainText('Enter an address.');
  await field.fill(server.address);
  await dialog.getByLabel('Note').fill('The warehouse');
  await allow.click();
  await expect(dialog).toContainText('your last sign-in was more than 15 minutes ago.');
  await expectNoAxeFindings(page);
  shared.company.signedInAgoSeconds = 0;
  await dialog.getByRole('button', { name: 'Sign in again', exact: true }).click();
  await expect(page.getByText(`${server.address} is allowed.`)).toBeVisible();
  await expect(itemOf(page, server.address)).toContainText(/The warehouse.*Added .+ by ana@acme\.test\./s);
  await expect(itemOf(page, server.address)).toContainText('No deployed server uses it.');

  await button(page, 'Allow an address').click();
  await field.fill('169.254.169.254:80');
  await page.keyboard.press('Enter');
  await expect(dialog).toContainText('only the operator can allow it, with UPSTREAM_ALLOW_ADDRESSES.');
  await page.keyboard.press('Escape');
  await expect(button(page, 'Allow an address')).toBeFocused();

  await page.goto('/admin?tab=manifests');
  await button(page, 'Paste JSON Text').click();
  const manifest = { id: 'inside', name: 'Inside', serviceType: 'mcp', connection: { type: 'http', url: server.url } };
  await page.getByLabel('Manifest JSON').fill(JSON.stringify(manifest));
  await button(page, 'Upload Manifest').click();
  await page.getByRole('link', { name: 'Open its page', exact: true }).click();
  await button(page, 'Deploy 1.0.0').first().click();
  await dialogOf(page, 'Deploy Inside 1.0.0?').getByRole('button', { name: 'Deploy 1.0.0', exact: true }).click();
  // it was reached: its own refusal is shown
  await expect(page.getByText('not with undefined').first()).toBeVisible();

  await page.goto('/admin?tab=allowed');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(itemOf(page, server.address).getByRole('link', { name: 'inside', exact: true })).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await expectNoAxeFindings(page);
  await button(page, `Remove ${server.address}`).click();
  const removal = dialogOf(page, `Remove ${server.address}?`);
  await expect(removal).toContainText('inside stops working for everyone. Running calls fail.');
  await removal.getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByText(`${server.address} is no longer allowed.`)).toBeVisible();
  await expect(itemOf(page, server.address)).toHaveCount(0);
  await server.close();
});

test('an import leads to the address that it needs, and its field is filled', async () => {
  if (!shared) throw new Error('the product is not running');
  const page = await shared.pageOf('ana', '/admin?tab=manifests&import=text');
  await page
    .getByLabel('Configuration', { exact: true })
    .fill('{"mcpServers":{"far":{"url":"http://10.9.9.9:8080/mcp"}}}');
  await button(page, 'Preview').click();
  await expect(page.getByRole('main')).toContainText(
    'Once 10.9.9.9:8080 is allowed, every manifest can make Souk connect there, also with plain http.',
  );
  await page.getByRole('link', { name: 'Allow 10.9.9.9:8080', exact: true }).click();
  const dialog = dialogOf(page, 'Allow a private address');
  await expect(dialog.getByLabel('Host and port')).toHaveValue('10.9.9.9:8080');
  await page.keyboard.press('Escape');
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/\?tab=allowed$/);
});

test('a package is looked up, refused with a reason, confirmed as shown, started by a server, and removed', async () => {
  test.skip(sandboxProblem() !== undefined, 'programs do not run confined on this machine');
  if (!shared) throw new Error('the product is not running');
  const page = await shared.pageOf('ana', '/admin?tab=allowed', 20 * 60);
  await expect(page.getByText('No package was added')).toBeVisible();
  await button(page, 'Allow a package').click();
  const dialog = dialogOf(page, 'Allow an npm package');
  await dialog.getByLabel('Package', { exact: true }).fill('@souk-test/small@latest');
  await dialog.getByLabel('Alias').fill('small');
  await dialog.getByLabel('Arguments').fill('--node-options=--inspect');
  await page.keyboard.press('Tab');
  await dialog.getByRole('button', { name: 'Look it up', exact: true }).click();
  await expect(dialog).toContainText('must be a package at an exact version');
  await dialog.getByLabel('Package', { exact: true }).fill('@souk-test/small@1.0.0');
  await dialog.getByRole('button', { name: 'Look it up', exact: true }).click();
  await expect(dialog).toContainText('--node-options is an option of Node');
  await dialog.getByLabel('Arguments').fill('--read-only');
  await dialog.getByRole('button', { name: 'Look it up', exact: true }).click();
  const confirm = dialogOf(page, 'Allow @souk-test/small@1.0.0?');
  await expect(confirm).toContainText('This machine will run the code of this package.');
  await expect(confirm).toContainText('sha512-');
  await expectNoAxeFindings(page);
  await confirm.getByRole('button', { name: 'Allow package', exact: true }).click();
  await expect(confirm).toContainText('your last sign-in was more than 15 minutes ago.');
  shared.company.signedInAgoSeconds = 0;
  await confirm.getByRole('button', { name: 'Sign in again', exact: true }).click();
  await expect(page.getByText('small is allowed. Manifests can start it now.')).toBeVisible();
  await expect(itemOf(page, '@souk-test/small@1.0.0')).toContainText(/No network.*--read-only.*by ana@acme\.test/s);

  await page.goto('/admin?tab=manifests');
  await button(page, 'Paste JSON Text').click();
  const manifest = {
    id: 'packed',
    name: 'Packed',
    serviceType: 'mcp',
    connection: { type: 'stdio', command: 'small' },
  };
  await page.getByLabel('Manifest JSON').fill(JSON.stringify(manifest));
  await button(page, 'Upload Manifest').click();
  await page.getByRole('link', { name: 'Open its page', exact: true }).click();
  await button(page, 'Deploy 1.0.0').first().click();
  await dialogOf(page, 'Deploy Packed 1.0.0?').getByRole('button', { name: 'Deploy 1.0.0', exact: true }).click();
  await expect(page.getByText(/^connected/).first()).toBeVisible();

  await page.goto('/admin?tab=allowed');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(itemOf(page, '@souk-test/small@1.0.0')).toContainText('Used by packed');
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  await expectNoAxeFindings(page);
  await button(page, 'Remove small').click();
  await dialogOf(page, 'Remove small?').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByText('small is no longer allowed.')).toBeVisible();
  await expect(page.getByText('No package was added')).toBeVisible();
});

test('without the variable the screen names it, and says why', async ({ page }) => {
  await openSignedIn(page, '/admin?tab=allowed', administrator);
  await expect(page.getByText('connect to other machines of your network.')).toContainText('ADMIN_MAY_ALLOW=addresses');
  await expect(page.getByText('No private address is allowed')).toBeVisible();
  await expect(page.getByText('chooses what this machine runs.')).toContainText('ADMIN_MAY_ALLOW=packages and restart');
  for (const name of ['Allow an address', 'Allow a package']) await expect(button(page, name)).toHaveCount(0);
  await expectNoAxeFindings(page);
});
