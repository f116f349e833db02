import { rm } from 'node:fs/promises';
import { expect, test, type Page } from '@playwright/test';
import { startProduct, type Product } from '../product.ts';
import { openSignedIn } from './sign-in.ts';

let product: Product;
test.beforeAll(async () => {
  product = await startProduct({ env: { BUNDLED_CATALOGUE: 'off', STDIO: 'off' } });
});
test.afterAll(async () => {
  await product.kill('SIGTERM');
  await rm(product.dataDir, { recursive: true, force: true });
});

/** Each screen of the catalogue says this beneath the text of the specification. */
async function shows(page: Page, text: string): Promise<void> {
  const none = 'No MCP servers are currently available.';
  for (const path of ['/', '/marketplace', '/marketplace?view=live']) {
    await page.goto(path);
    const empty = page
      .locator('div', { has: page.getByRole('heading', { name: /^no (mcp )?servers found$/i }) })
      .last();
    await expect(empty, path).toContainText(`${none}${text}`);
  }
}

test('an empty shop tells a visitor, a member and its administrator who fills it, and leads the last one there', async ({
  browser,
}) => {
  const open = async (email?: string) => {
    const context = await browser.newContext({ baseURL: product.publicUrl, reducedMotion: 'reduce' });
    const page = await context.newPage();
    if (email !== undefined) await openSignedIn(page, '/', email);
    return page;
  };
  const visitor = await open();
  await shows(visitor, 'Is this your shop? Sign in as its administrator to add the first server.');
  // a search finds nothing for another reason
  await visitor.goto('/marketplace?q=travel');
  await expect(visitor.getByText('Try adjusting your search query.')).toBeVisible();
  await expect(visitor.getByText('Is this your shop?')).toHaveCount(0);

  await shows(await open('member@souk.test'), 'An administrator of this shop adds the services.');

  const admin = await open('admin@souk.test');
  await shows(admin, 'Upload a manifest to add the first server, or deploy one that is staged.');
  await admin.getByRole('link', { name: 'Add a Server', exact: true }).click();
  await expect(admin).toHaveURL(/\/admin\?tab=manifests$/);
  await expect(admin.getByText('Upload a manifest to add the first server.', { exact: true })).toBeVisible();
});
