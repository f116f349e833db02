import { readdir, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { adminManifestEndpoints } from '@souk/contract/admin/manifests.ts';
import { createClient } from '@souk/contract/client.ts';
import type { Page } from '@playwright/test';
import { startDemandingServer, type DemandingServer } from '../../apps/broker/src/testing/servers/demanding-server.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { startCompanyProduct, type CompanyProduct } from './company-product.ts';
import { expect, test } from './product-test.ts';

// An administrator enters a server's secrets in the browser, and the server works without a restart.

const value = 'Bearer canary-in-the-browser-2207';
const other = 'Bearer canary-of-afterwards-5518';
let shared: CompanyProduct | undefined;
let server: DemandingServer | undefined;

test.use({ reducedMotion: 'reduce' });
test.beforeAll(async ({ browser }) => {
  server = await startDemandingServer('x-key', { accept: [value, other] });
  const program = join(import.meta.dirname, '../../apps/broker/src/testing/servers/small-stdio.ts');
  const list = join(tmpdir(), `souk-secrets-${process.pid}.json`);
  const entry = { argv: ['{node}', program], reads: [program], secrets: ['API_TOKEN'] };
  await writeFile(list, JSON.stringify({ chatty: entry }));
  shared = await startCompanyProduct(browser, {
    UPSTREAM_ALLOW_ADDRESSES: server.address,
    STDIO_ALLOWLIST: list,
    UPSTREAM_HEADER_KEYED__X_GIVEN: 'of-the-operator',
  });
  const token = await shared.tokenOf('ana');
  const { publicUrl } = shared.product;
  const calls = createClient(adminManifestEndpoints, { baseUrl: publicUrl, fetch, token: async () => token });
  const header = (name: string) => ({ name, from: 'operator' });
  const auth = { type: 'headers', headers: [header('X-Key'), header('X-Given')] };
  const http = { connection: { type: 'http', url: server.url }, auth };
  for (const [id, more] of Object.entries({
    keyed: http,
    chatty: { connection: { type: 'stdio', command: 'chatty' } },
  })) {
    const manifest = { id, name: id, serviceType: 'mcp', version: '1.0.0', description: 'Wants a secret.', ...more };
    await calls.createManifest({ query: {}, body: JSON.stringify(manifest) });
    await calls.deployManifest({ params: { id }, body: {} });
  }
  const waits = { id: 'waits', name: 'waits', serviceType: 'mcp', version: '1.0.0', description: 'Is staged.' };
  const one = { ...waits, ...http, auth: { ...auth, headers: [header('X-Key')] } };
  await calls.createManifest({ query: {}, body: JSON.stringify(one) });
});
test.afterEach(() => shared?.closePages());
test.afterAll(async () => {
  await shared?.close();
  await server?.close();
});

/** Opens the page of a server's secrets for an administrator whose sign-in is this old. */
async function openSecrets(id: string, signedInAgoSeconds = 0): Promise<Page> {
  if (!shared) throw new Error('the product is not running');
  const page = await shared.pageOf('ana', `/admin?tab=manifests&id=${id}&part=secrets`, signedInAgoSeconds);
  await expect(page.getByRole('heading', { name: 'Secrets', exact: true })).toBeVisible();
  return page;
}
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const dialogOf = (page: Page, name: string) => page.getByRole('alertdialog', { name, exact: true });
const itemOf = (page: Page, text: string) => page.getByRole('listitem').filter({ hasText: text });

test('a missing secret is named, entered after a new sign-in, replaced by the keyboard, and removed', async () => {
  if (!server || !shared) throw new Error('the product is not running');
  const page = await openSecrets('keyed', 20 * 60);
  await expect(page.getByRole('tab', { name: 'Secrets 1 missing', exact: true })).toBeVisible();
  await expect(itemOf(page, 'X-Key')).toContainText(
    'Needed by version 1.0.0. The server doesn’t work until it’s entered here, or set as UPSTREAM_HEADER_KEYED__X_KEY.',
  );
  await expect(itemOf(page, 'X-Given')).toContainText(
    'The value comes from UPSTREAM_HEADER_KEYED__X_GIVEN, so it can’t be entered here. Another address doesn’t get it.',
  );
  await expect(button(page, 'Enter value of X-Given')).toHaveCount(0);
  await expectNoAxeFindings(page);

  await button(page, 'Enter value of X-Key').click();
  const dialog = dialogOf(page, 'Enter X-Key');
  await expect(dialog).toContainText(`Sent only to ${server.url}.`);
  await dialog.getByRole('button', { name: 'Save value', exact: true }).click();
  await expect(dialog).toContainText('Enter a value.');
  await dialog.getByLabel('Value').fill(`${value}\n`);
  await dialog.getByRole('button', { name: 'Save value', exact: true }).click();
  await expect(dialog).toContainText('your last sign-in was more than 15 minutes ago.');
  await expectNoAxeFindings(page);
  // in the window the company asks nothing, and dates this sign-in as new
  shared.company.signedInAgoSeconds = 0;
  await dialog.getByRole('button', { name: 'Sign in again', exact: true }).click();
  await expect(page.getByText('X-Key is set. The server uses it now.')).toBeVisible();
  await expect(itemOf(page, 'X-Key')).toContainText(/Entered .+ by ana@acme\.test\./);
  await expect(page.getByRole('tab', { name: 'Secrets', exact: true })).toBeVisible();
  await expect.poll(() => server?.sent.at(-1)).toBe(value);

  await button(page, 'Replace X-Key').focus();
  await page.keyboard.press('Enter');
  await expect(dialogOf(page, 'Replace X-Key').getByLabel('Value')).toHaveValue('');
  await dialogOf(page, 'Replace X-Key').getByLabel('Value').focus();
  await page.keyboard.type(other);
  await page.keyboard.press('Enter');
  await expect(page.getByText('X-Key is replaced. The server uses it now.')).toBeVisible();
  await expect.poll(() => server?.sent.at(-1)).toBe(other);
  await expect(button(page, 'Replace X-Key')).toBeFocused();

  await button(page, 'Remove X-Key').click();
  await expect(dialogOf(page, 'Remove X-Key?')).toContainText('The server stops working for everyone');
  await dialogOf(page, 'Remove X-Key?').getByRole('button', { name: 'Remove', exact: true }).click();
  await expect(page.getByText('X-Key is removed.')).toBeVisible();
  await expect(itemOf(page, 'X-Key')).toContainText('Missing');
});

test('a deployment says that a secret is missing, and links to where it is entered', async () => {
  if (!shared) throw new Error('the product is not running');
  const said = '1 secret is missing: the server will not answer until you enter it under Secrets';
  const page = await shared.pageOf('ana', '/admin?tab=manifests');
  await button(page, 'Deploy All from Staging 1 staged').click();
  const all = dialogOf(page, 'Deploy 1 staged manifest?');
  await expect(all.getByRole('listitem').filter({ hasText: 'waits' })).toContainText(`${said}.`);
  await page.keyboard.press('Escape');
  await page.goto('/admin?tab=manifests&id=waits');
  await button(page, 'Deploy 1.0.0').first().click();
  const dialog = dialogOf(page, 'Deploy waits 1.0.0?');
  await expect(dialog).toContainText(`${said}, or the operator sets UPSTREAM_HEADER_WAITS__X_KEY.`);
  await expectNoAxeFindings(page);
  await dialog.getByRole('link', { name: 'Secrets', exact: true }).click();
  await expect(dialog).toBeHidden();
  await expect(page).toHaveURL(/[?&]id=waits&part=secrets/);
  await expect(itemOf(page, 'X-Key')).toContainText('Missing');
});

test('a header of the environment must be confirmed for another address, and the screen says where it is sent', async () => {
  if (!shared || !server) throw new Error('the product is not running');
  const { publicUrl } = shared.product;
  const token = await shared.tokenOf('ana');
  const calls = createClient(adminManifestEndpoints, { baseUrl: publicUrl, fetch, token: async () => token });
  const url = server.url.replace('/mcp', '/of-another-customer');
  const auth = { type: 'headers', headers: [{ name: 'X-Given', from: 'operator' }] };
  const texts = { name: 'keyed', serviceType: 'mcp', description: 'Moves.' };
  const moved = { id: 'keyed', ...texts, version: '2.0.0', connection: { type: 'http', url }, auth };
  await calls.createManifest({ query: {}, body: JSON.stringify(moved) });
  const page = await openSecrets('keyed');
  await expect(itemOf(page, url)).toContainText(
    `UPSTREAM_HEADER_KEYED__X_GIVEN is sent only to ${server.url}. Enter the value for this address here, or ask the operator to run npm run souk -- secret bind keyed.`,
  );
  await expect(button(page, 'Enter value of X-Given')).toHaveCount(1);
  await expectNoAxeFindings(page);

  await page.goto('/admin?tab=manifests');
  await button(page, 'Deploy All from Staging 2 staged').click();
  const all = dialogOf(page, 'Deploy 2 staged manifests?');
  await expect(all).toContainText('2 servers lack secrets and won’t answer until you enter them: keyed, waits.');
  await all.getByRole('link', { name: 'keyed', exact: true }).click();
  await expect(page).toHaveURL(/[?&]id=keyed&part=secrets/);
});

test('a variable of a program accepts several lines, on a phone too; no file and no log line of the broker contains a value', async () => {
  if (!shared) throw new Error('the product is not running');
  const page = await openSecrets('chatty');
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(itemOf(page, 'API_TOKEN')).toContainText('Given only to the program chatty');
  await button(page, 'Enter value of API_TOKEN').click();
  const dialog = dialogOf(page, 'Enter API_TOKEN');
  await dialog.getByLabel('Value').fill('canary-first-line\ncanary-second-line');
  await expectNoAxeFindings(page);
  await dialog.getByRole('button', { name: 'Save value', exact: true }).click();
  await expect(page.getByText('API_TOKEN is set. The server uses it now.')).toBeVisible();
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390);
  // this part polls every two seconds, others every thirty
  await expect(page.getByText(/^connected/).first()).toBeVisible();
  await page.goto('/admin?tab=manifests&id=chatty');
  await expect(page.getByText(/^connected/).first()).toBeVisible();
  expect(shared.product.output() + shared.product.stderr()).not.toContain('canary');
  for (const file of await filesBelow(shared.product.dataDir)) {
    expect((await readFile(file)).includes('canary-'), file).toBe(false);
  }
});

async function filesBelow(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true });
  return found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
