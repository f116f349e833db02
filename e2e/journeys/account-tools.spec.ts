import { forkProduct, type ForkedProduct } from '../forked-product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { expect, test } from './product-test.ts';
import { signIn } from './sign-in.ts';

let product: ForkedProduct;
let publicUrl: string;

test.beforeAll(async () => {
  product = await forkProduct(new URL('../account-tools-product.ts', import.meta.url));
  ({ publicUrl } = product);
});
test.afterAll(() => product.close());

test('the tools of a service that depend on an account: before the sign-in there, after it, and after a disconnect', async ({
  page,
  browser,
}) => {
  await page.goto(`${publicUrl}/marketplace`);
  await expect(page.getByRole('article')).toContainText('Tools after sign-in');
  await page.goto(`${publicUrl}/service/files`);
  await expect(page.getByRole('heading', { name: 'Sign in to see your tools' })).toBeVisible();
  await expect(page.getByText('This server has no tools.')).toHaveCount(0);
  await expectNoAxeFindings(page);

  await signIn(page, 'kim@souk.test');
  const account = page.getByRole('region', { name: 'Your Files account' });
  await expect(account).toContainText('Not signed in');
  await expect(page.getByRole('heading', { name: 'Sign in to see your tools' })).toBeVisible();
  expect(await callThroughLink(page, publicUrl, 'files__echo')).toContain('Unknown tool: files__echo');

  await account.getByRole('button', { name: 'Sign in to Files' }).click();
  await expect(account).toContainText('Connected');
  await expect(page.getByRole('heading', { name: 'Your account has 8 tools' })).toBeVisible();
  await expect(account).toContainText(/Tools\s*8/);
  await expectNoAxeFindings(page);
  expect(await callThroughLink(page, publicUrl, 'files__echo')).toContain('"content"');

  const elsewhere = await browser.newPage();
  await elsewhere.goto(`${publicUrl}/service/files`);
  await signIn(elsewhere, 'lee@souk.test');
  await expect(elsewhere.getByRole('region', { name: 'Your Files account' })).toContainText('Not signed in');
  await expect(elsewhere.getByRole('heading', { name: 'Sign in to see your tools' })).toBeVisible();
  expect(await callThroughLink(elsewhere, publicUrl, 'files__echo')).toContain('Unknown tool: files__echo');
  await elsewhere.close();

  await account.getByRole('button', { name: 'Disconnect' }).click();
  const question = page.getByRole('alertdialog', { name: 'Disconnect Files?' });
  await question.getByRole('button', { name: 'Disconnect' }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to see your tools' })).toBeVisible();
  expect(await callThroughLink(page, publicUrl, 'files__echo')).toContain('Unknown tool: files__echo');
});
