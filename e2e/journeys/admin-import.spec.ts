import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { test } from './import-shop.ts';
import { openManifests } from './manifests-page.ts';
import { expect } from './product-test.ts';

// The import of servers: from a text, from a registry of this machine, and from another Souk, which is also a registry.

const secret = 'canary-3e09fb61';

test.use({ reducedMotion: 'reduce' });
test.describe.configure({ mode: 'serial' });

const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const link = (page: Page, name: string) => page.getByRole('link', { name, exact: true });
const part = (page: Page, name: string) => page.getByRole('tabpanel', { name, exact: true });
const entry = (page: Page, name: string | RegExp) =>
  page
    .getByRole('list', { name: 'Servers to import', exact: true })
    .locator(':scope > li')
    .filter({
      has: page.getByRole('heading', { level: 4, name, exact: true }),
    });
const openImport = (page: Page, part: string) => openManifests(page, `?tab=manifests&import=${part}`);
test("a client's configuration is previewed, staged by a click, deployed, and called by a client", async ({
  page,
  shop,
}) => {
  const { fixture, callTool } = shop;
  await openManifests(page);
  await link(page, 'Import').click();
  await expect(page).toHaveURL(/[?&]import=text/);
  await button(page, 'Preview').click();
  await expect(page.getByText('Paste a configuration, or choose a file.', { exact: true })).toBeVisible();
  await page.getByLabel('Configuration', { exact: true }).fill('{"mcpServers": {"a": }}');
  await button(page, 'Preview').click();
  await expect(part(page, 'Paste or file').getByRole('alert')).toHaveText(
    'The text is not valid JSON: } is not expected at line 1, column 22.',
  );
  await expectNoAxeFindings(page);
  const configuration = {
    mcpServers: {
      weir: { url: fixture.url, headers: { Authorization: `Bearer ${secret}` } },
      small: { command: 'npx', args: ['-y', '@souk-test/small'] },
      reed: { command: 'npx', args: ['-y', 'reed-mcp@1.0.0'], env: { REED_TOKEN: secret } },
      mill: { command: 'npx', args: ['-y', 'github:mill/mcp'] },
      barge: { command: 'docker', args: ['run', '-i', 'ghcr.io/barge/mcp:1'] },
    },
  };
  const input = page.getByLabel('Configuration file', { exact: true });
  await input.setInputFiles({
    name: 'mcp.json',
    mimeType: 'application/json',
    buffer: Buffer.from(JSON.stringify(configuration, null, 2)),
  });
  const preview = page.getByRole('region', { name: 'Preview', exact: true });
  await expect(preview.getByRole('status').first()).toHaveText(
    '2 ready · 1 must be allowed first · 2 cannot be imported',
  );
  await expect(entry(page, 'weir 1.0.0')).toContainText('Authorization as UPSTREAM_HEADER_WEIR__AUTHORIZATION');
  await expect(entry(page, 'weir 1.0.0')).toContainText('Free');
  await expect(entry(page, 'weir 1.0.0')).toContainText('Empty: its name is shown until you write one');
  await expect(entry(page, 'small 1.0.0')).toContainText('It has no exact version: npm currently has 1.0.0.');
  await expect(entry(page, 'reed 1.0.0')).toContainText('"npm": "reed-mcp@1.0.0"');
  await expect(entry(page, 'reed 1.0.0')).toContainText(
    'Once this program is allowed, this machine runs its code, and it reads the secrets that you give it.',
  );
  await expect(entry(page, 'mill')).toContainText('Its package github:mill/mcp is the code of a git repository.');
  await expect(entry(page, 'barge')).toContainText('Souk starts no containers.');
  await expectNoAxeFindings(page);
  await expect(preview, 'a secret is never shown').not.toContainText(secret);

  // one of two is left out, by the keyboard
  const choice = page.getByRole('checkbox', { name: 'small 1.0.0', exact: true });
  await choice.focus();
  await page.keyboard.press('Space');
  await expect(button(page, 'Stage 1 server')).toBeVisible();
  await page.keyboard.press('Space');
  await button(page, 'Stage 2 servers').press('Enter');
  await expect(preview.getByText('2 servers are staged.', { exact: true })).toBeVisible();
  await expect(preview.getByRole('status').first()).toHaveText(
    '2 staged · 1 must be allowed first · 2 cannot be imported',
  );
  // the button that had the focus has been removed
  await expect(page.getByRole('heading', { name: 'Preview', exact: true })).toBeFocused();
  for (const [id, tool] of [
    ['weir', 'weir__echo'],
    ['small', 'small__echo'],
  ] as const) {
    await page.goto(`/admin?tab=manifests&id=${id}`);
    await page
      .getByRole('button', { name: /^Deploy/ })
      .first()
      .click();
    const dialog = page.getByRole('alertdialog');
    await dialog.getByRole('button', { name: 'Deploy 1.0.0', exact: true }).click();
    await expect(page.getByText(`${id} 1.0.0 is deployed.`)).toBeVisible();
    expect(await callTool(tool)).toMatchObject({ content: [{ type: 'text' }] });
  }
  const asked = fixture.seen.requests.map(({ headers }) => headers['authorization']);
  expect(asked, 'the secret of the operator, not the pasted one').toContain('Bearer of-the-operator');
  expect(asked).not.toContain(`Bearer ${secret}`);
});

test('a registry is added, read by a click, filtered, and imported from; its update is found and staged', async ({
  page,
  shop,
}) => {
  const { fixture, registry, souk, callTool } = shop;
  const tides = (version: string, description: string) => ({
    name: 'example.harbour/tides',
    title: 'Tides',
    version,
    description,
    remotes: [{ type: 'streamable-http', url: fixture.url }],
  });
  registry.publish(tides('1.0.0', 'High and low water.'));
  registry.publish(
    { ...tides('0.1.0', 'Steam.'), name: 'example.harbour/steam', title: 'Steam' },
    { status: 'deprecated', message: 'use Tides' },
  );
  registry.publish({
    name: 'example.harbour/crates',
    version: '1.0.0',
    description: 'Crates.',
    packages: [{ registryType: 'oci', identifier: 'ghcr.io/harbour/crates:1', transport: { type: 'stdio' } }],
  });
  await openImport(page, 'registry');
  await expect(page.getByRole('heading', { name: 'No registries yet', exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  await button(page, 'Add a registry').click();
  const dialog = page.getByRole('dialog', { name: 'Add a registry', exact: true });
  await expect(dialog.getByLabel('Address'), 'the official one is offered').toHaveValue(
    'https://registry.modelcontextprotocol.io',
  );
  await dialog.getByLabel('Address').fill('http://10.0.0.1');
  await dialog.getByLabel('Name').fill('Harbour');
  await button(page, 'Add registry').click();
  await expect(dialog.getByRole('alert')).toContainText('UPSTREAM_ALLOW_ADDRESSES=10.0.0.1:80');
  await expectNoAxeFindings(page);
  registry.fail('html');
  await dialog.getByLabel('Address').fill(registry.url);
  await button(page, 'Add registry').click();
  await expect(part(page, 'Registries').getByRole('alert')).toContainText(
    'Harbour cannot be read: it answered text/html instead of JSON',
  );
  await expectNoAxeFindings(page);
  registry.fail(undefined);
  await button(page, 'Retry').click();

  const list = page.getByRole('list', { name: 'Servers of Harbour', exact: true });
  await expect(list.getByRole('heading', { level: 3 })).toHaveText([
    'example.harbour/crates 1.0.0Container',
    'Tides 1.0.0Remote',
  ]);
  await expect(list).toContainText('Cannot be imported: it is a container image (ghcr.io/harbour/crates:1)');
  await page.getByRole('combobox', { name: 'Which servers', exact: true }).selectOption('All');
  await expect(list.getByText('Deprecated', { exact: true })).toBeVisible();
  await expect(page).toHaveURL(/[?&]only=all/);
  await expectNoAxeFindings(page);
  await page.getByLabel('Search the registry').fill('tides');
  await expect(list.getByRole('listitem')).toHaveCount(1);
  await expect(page).toHaveURL(/[?&]q=tides/);
  await link(page, 'Preview Tides').click();
  await expect(entry(page, 'Tides 1.0.0')).toContainText('example-harbour-tides');
  await page.goBack();
  await expect(list.getByRole('listitem'), 'Back leads to the results').toHaveCount(1);
  await link(page, 'Preview Tides').click();
  await button(page, 'Stage 1 server').click();
  await expect(page.getByText('1 server is staged.', { exact: true })).toBeVisible();
  expect((await souk('manifest', 'deploy', 'example-harbour-tides')).code).toBe(0);
  expect(await callTool('example__echo')).toMatchObject({ content: [{ text: 'imported' }] });

  registry.publish(tides('1.1.0', 'High water alone.'));
  await page.goto('/admin?tab=manifests&import=updates');
  await expect(page.getByText('Every imported server is up to date.')).toBeVisible();
  await button(page, 'Check now').click();
  await expect(page.getByRole('list', { name: 'Updates', exact: true })).toContainText('1.0.0 -> 1.1.0');
  await expectNoAxeFindings(page);
  await link(page, 'Preview the update of Tides').click();
  await expect(entry(page, 'Tides 1.1.0')).toContainText('"High and low water." -> "High water alone."');
  await button(page, 'Stage 1 server').click();
  await expect(page.getByText('1 server is staged.', { exact: true })).toBeVisible();
  await page.goto('/admin?tab=manifests&id=example-harbour-tides&part=changes');
  await expect(page.getByRole('list', { name: 'Changed fields', exact: true })).toContainText(
    'version: 1.0.0 -> 1.1.0',
  );

  // the same by command
  const found = await souk('registry', 'search', 'tides', '--registry', 'Harbour');
  expect(found.stdout).toBe('example.harbour/tides 1.1.0  (remote; here as example-harbour-tides)\n');
  const again = await souk('registry', 'import', 'example.harbour/tides', '--registry', 'Harbour');
  expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('example.harbour/tides: here already\n') });
});

test('another Souk is a registry: its services are listed, and one is staged', async ({ page, product }) => {
  await openImport(page, 'registry');
  await button(page, 'Add a registry').click();
  const dialog = page.getByRole('dialog', { name: 'Add a registry', exact: true });
  await dialog.getByLabel('Address').fill(product.publicUrl);
  await dialog.getByLabel('Name').fill('First Souk');
  await dialog.getByLabel('Name').press('Enter');
  const list = page.getByRole('list', { name: 'Servers of First Souk', exact: true });
  await expect(list.getByText('localhost/travel', { exact: true })).toBeVisible();
  await page.getByRole('link', { name: 'Preview Travel', exact: true }).click();
  await expect(entry(page, /^Travel /)).toContainText(`${product.publicUrl}/s/travel/mcp`);
  await button(page, 'Stage 1 server').click();
  await link(page, 'Open Travel').click();
  await expect(page).toHaveURL(/[?&]id=localhost-travel/);

  // a removed registry leaves what came from it
  await page.goto('/admin?tab=manifests&import=registry');
  await page.getByRole('combobox', { name: 'Registry', exact: true }).selectOption('First Souk');
  await button(page, 'Remove').click();
  const remove = page.getByRole('alertdialog', { name: 'Remove First Souk?', exact: true });
  await expect(remove).toContainText('1 server imported from it stays.');
  await expectNoAxeFindings(page);
  await remove.getByRole('button', { name: 'Remove registry', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Choose a registry', exact: true })).toBeVisible();
  await page.goto('/admin?tab=manifests&id=localhost-travel');
  await expect(page.getByRole('heading', { name: /Travel/ }).first()).toBeVisible();
});
