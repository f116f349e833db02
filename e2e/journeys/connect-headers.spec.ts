import { once } from 'node:events';
import { forkProduct, type ForkedProduct } from '../forked-product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { signIn } from './sign-in.ts';

const key = 'key-of-kim-5f1d';
let shop: ForkedProduct;
let publicUrl: string;

test.beforeAll(async () => {
  shop = await forkProduct(new URL('../key-shop.ts', import.meta.url));
  ({ publicUrl } = shop);
});
test.afterAll(() => shop.close());

/** The headers of the last call that reached the shop. */
async function headersOfLastCall(): Promise<Record<string, string>> {
  const answer = once(shop.child, 'message');
  shop.child.send('headers');
  const [{ headers }] = await answer;
  return headers;
}

test('headers of a service are entered by keyboard alone, what is wrong is said at the field, and nothing shows them again', async ({
  page,
}) => {
  const shown: string[] = [];
  page.on('response', async (response) => {
    if (response.url().includes('/api/')) shown.push(await response.text().catch(() => ''));
  });
  await page.goto(publicUrl);
  await signIn(page, 'kim@souk.test');
  await page.goto(`${publicUrl}/connect/key-shop`);
  const connection = page.getByRole('region', { name: 'Your Key Shop account', exact: true });
  await expect(connection).toContainText('Headers missing');
  await expectNoAxeFindings(page);
  expect(await callThroughLink(page, publicUrl, 'shop__echo')).toContain(`${publicUrl}/connect/key-shop`);

  const shopKey = page.getByLabel('X-Shop-Key');
  const team = page.getByLabel('X-Shop-Team');
  await expect(shopKey).toHaveAttribute('type', 'password');
  await expect(shopKey).toHaveAccessibleDescription('Your key, from the settings of the shop.');
  await shopKey.focus();
  await page.keyboard.press('Enter');
  await expect(shopKey).toBeFocused();
  await expect(shopKey).toHaveAccessibleDescription(/Enter the value\./);
  await expect(team).toHaveAccessibleDescription(/Enter the value\./);
  await expect(shopKey).toHaveAttribute('aria-invalid', 'true');
  await expectNoAxeFindings(page);

  await page.keyboard.type('ключ');
  await page.keyboard.press('Tab');
  await expect(team).toBeFocused();
  await page.keyboard.type('blue');
  await page.keyboard.press('Enter');
  await expect(shopKey).toBeFocused();
  await expect(shopKey).toHaveAccessibleDescription(/The value must be one line of plain characters\./);

  await page.keyboard.press('ControlOrMeta+A');
  await page.keyboard.type(key);
  const path = '**/upstream-connections/key-shop';
  const json = { success: false, code: 'unexpected', message: 'An unexpected error occurred' };
  await routeNow(page, path, (route) => route.fulfill({ status: 500, json }));
  await page.keyboard.press('Enter');
  await expect(connection.getByRole('alert').filter({ hasText: 'An unexpected error occurred' })).toBeVisible();
  await expect(shopKey).toHaveValue(key);
  await expectNoAxeFindings(page);

  await page.unroute(path);
  await shopKey.press('Enter');
  await expect(connection).toContainText('Connected');
  await expect(page.getByRole('status').filter({ hasText: 'The headers for Key Shop are saved.' })).toBeAttached();
  await expect(shopKey).toHaveValue('');
  await expect(shopKey).toHaveAccessibleDescription(/One is stored\. Leave this empty to keep it\./);
  expect(await callThroughLink(page, publicUrl, 'shop__echo')).toContain('"content"');
  expect(await headersOfLastCall()).toMatchObject({ 'x-shop-key': key, 'x-shop-team': 'blue' });

  await page.reload();
  await expect(connection).toContainText('Connected');
  await expect(shopKey).toHaveValue('');
  expect(await page.content()).not.toContain(key);
  expect(shown.join()).not.toContain(key);
});

test('one header is changed alone, and disconnecting forgets all', async ({ page }) => {
  await page.goto(publicUrl);
  await signIn(page, 'lee@souk.test');
  await page.goto(`${publicUrl}/connect/key-shop`);
  await page.getByLabel('X-Shop-Key').fill('first');
  await page.getByLabel('X-Shop-Team').fill('red');
  await page.getByRole('button', { name: 'Save headers', exact: true }).click();
  const connection = page.getByRole('region', { name: 'Your Key Shop account', exact: true });
  await expect(connection).toContainText('Connected');
  await page.getByLabel('X-Shop-Team').fill('green');
  await page.getByRole('button', { name: 'Save headers', exact: true }).click();
  await expect(page.getByLabel('X-Shop-Team')).toHaveValue('');
  await callThroughLink(page, publicUrl, 'shop__echo');
  expect(await headersOfLastCall()).toMatchObject({ 'x-shop-key': 'first', 'x-shop-team': 'green' });

  await page.getByRole('button', { name: 'Disconnect', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Disconnect Key Shop?', exact: true });
  await question.getByRole('button', { name: 'Disconnect', exact: true }).click();
  await expect(connection).toContainText('Headers missing');
  await expect(page.getByRole('heading', { name: 'Your Key Shop account', exact: true })).toBeFocused();
  expect(await callThroughLink(page, publicUrl, 'shop__echo')).toContain('sign_in_required');
});
