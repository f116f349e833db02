import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from './product-test.ts';

test('a visitor searches, opens a service, signs in, copies the link, creates a token, calls a tool with the Inspector, sees the panel turn green, and signs out', async ({
  page,
  context,
  product,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await page.goto('/');
  await page.getByRole('link', { name: 'Browse Servers', exact: true }).click();
  await expect(page).toHaveURL(/\/marketplace/);
  await page.getByRole('searchbox').fill('airports');
  await expect(page.getByText(/^Showing 1 of 9 servers|^Showing \d of 9 servers/)).toBeVisible();
  await page
    .getByRole('link', { name: /Travel/ })
    .first()
    .click();
  await expect(page.getByRole('heading', { level: 1, name: 'Travel', exact: true })).toBeVisible();

  await page.getByRole('button', { name: 'Sign In', exact: true }).click();
  await page
    .getByRole('link', { name: /Google/ })
    .or(page.getByRole('button', { name: /Google/ }))
    .first()
    .click();
  await page.getByRole('button', { name: /bea@souk.test/ }).click();
  await expect(page, 'back to where the sign-in began').toHaveURL(/\/service\/travel/);

  await page.getByRole('button', { name: /Bea Buyer|bea@souk.test/ }).click();
  await page.getByRole('menuitem', { name: 'Dashboard', exact: true }).click();
  await expect(page).toHaveURL(/\/dashboard/);
  // the address changes before the screen does, and a service has a button of this name too
  await expect(page.getByRole('tab', { name: 'Access tokens', exact: true })).toBeVisible();
  await page.getByRole('button', { name: /^Copy/ }).first().click();
  const link = await page.evaluate(() => navigator.clipboard.readText());
  expect(link).toBe(`${product.publicUrl}/mcp`);

  await page.getByRole('tab', { name: 'Access tokens', exact: true }).click();
  await page
    .getByRole('button', { name: /Create (access )?token/i })
    .first()
    .click();
  await page.getByRole('dialog').getByLabel('Name').fill('Inspector');
  await page
    .getByRole('dialog')
    .getByRole('button', { name: /^Create/ })
    .click();
  const ready = page.getByRole('alertdialog', { name: /is ready/ });
  await ready.getByRole('button', { name: /^Copy/ }).first().click();
  const token = await page.evaluate(() => navigator.clipboard.readText());
  expect(token).toMatch(/^souk_pat_[A-Za-z0-9_-]{43}$/);
  await ready.getByRole('button', { name: 'Done', exact: true }).click();

  await page.getByRole('tab', { name: 'Setup', exact: true }).click();
  await expect(page.getByText('Waiting for the first call')).toBeVisible();
  const answer = await inspect(link, token, ['--tool-name', 'travel__find_airports', '--tool-arg', 'query=Zurich']);
  expect(answer).toContain('ZRH');
  await expect(page.getByText('The first call has arrived')).toBeVisible();

  await page.getByRole('button', { name: /Bea Buyer|bea@souk.test/ }).click();
  await page.getByRole('menuitem', { name: 'Sign Out', exact: true }).click();
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
});

/** Runs the MCP Inspector's --cli, like a user in a terminal. */
async function inspect(link: string, token: string, args: string[]): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'inspector-'));
  const launcher = join(
    import.meta.dirname,
    '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
  );
  const command = [launcher, '--cli', link, '--transport', 'http', '--method', 'tools/call', ...args];
  const child = spawn(process.execPath, [...command, '--header', `Authorization: Bearer ${token}`], {
    env: { PATH: process.env['PATH'], HOME: home },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += String(chunk)));
  await new Promise((resolve) => child.on('close', resolve));
  await rm(home, { recursive: true, force: true });
  return output;
}
