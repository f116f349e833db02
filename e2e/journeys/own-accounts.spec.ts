import { once } from 'node:events';
import { forkProduct, type ForkedProduct } from '../forked-product.ts';
import { administrator } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { cardOf } from './shop-page.ts';
import { signIn } from './sign-in.ts';

// Services that each user uses with their own account: by secrets in headers, and by a sign-in there.

const key = 'key-of-kim-5f1d';
let product: ForkedProduct;
let publicUrl: string;

test.beforeAll(async () => {
  product = await forkProduct(new URL('../own-accounts-product.ts', import.meta.url));
  ({ publicUrl } = product);
});
test.afterAll(() => product.close());

async function headersOfLastCall(): Promise<Record<string, string>> {
  const answer = once(product.child, 'message');
  product.child.send('headers');
  const [{ headers }] = await answer;
  return headers;
}

test('headers of a service can be entered by keyboard only, errors are shown at the field, and the values are never shown again', async ({
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
  await expect(shopKey).toHaveAccessibleDescription(/A value is stored\. Leave this empty to keep it\./);
  expect(await callThroughLink(page, publicUrl, 'shop__echo')).toContain('"content"');
  expect(await headersOfLastCall()).toMatchObject({ 'x-shop-key': key, 'x-shop-team': 'blue' });

  await page.reload();
  await expect(connection).toContainText('Connected');
  await expect(shopKey).toHaveValue('');
  expect(await page.content()).not.toContain(key);
  expect(shown.join()).not.toContain(key);
});

test('one header can be changed without the others, and disconnecting deletes all', async ({ page }) => {
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

/** Lets the service name another authorization server. */
async function nameIssuer(issuer: unknown): Promise<void> {
  const done = once(product.child, 'message');
  product.child.send(String(issuer));
  await done;
}

test("the operator's client is shown if an administrator confirmed it, and nowhere else", async ({ page, browser }) => {
  const { issuer, others } = product.ready;
  const person = await browser.newPage();
  await person.goto(`${publicUrl}/service/files`);
  await signIn(person, 'ida@souk.test');
  const account = person.getByRole('region', { name: 'Your Files account', exact: true });
  const signInToFiles = account.getByRole('button', { name: 'Sign in to Files', exact: true });
  await signInToFiles.click();
  await expect(
    person.getByText(`it sends people to ${String(issuer)}, and an administrator has to confirm that first`),
  ).toBeVisible();

  const place = page.getByRole('region', { name: 'Where people sign in', exact: true });
  const decide = async (name: string) => {
    await place.getByRole('button', { name, exact: true }).click();
    const host = new URL(String(issuer)).host;
    await page
      .getByRole('alertdialog', { name: `Send your client to ${host}?`, exact: true })
      .getByRole('button', { name: 'Confirm', exact: true })
      .click();
  };
  await page.goto(`${publicUrl}/admin?tab=manifests&id=files`);
  await signIn(page, administrator);
  await expect(place).toContainText('Waiting for you');
  await expect(place).toContainText(`${issuer}/token`);
  await expectNoAxeFindings(page);
  await decide('Confirm');
  await expect(place).toContainText('Confirmed');
  await expect(place.getByRole('button')).toHaveCount(0);

  await signInToFiles.click();
  await expect(account).toContainText('Connected');
  await account.getByRole('button', { name: 'Disconnect', exact: true }).click();
  await person.getByRole('alertdialog').getByRole('button', { name: 'Disconnect', exact: true }).click();

  await nameIssuer(others);
  await signInToFiles.click();
  await expect(
    person.getByText(`it now sends people to ${String(others)}, and an administrator has confirmed ${String(issuer)}`),
  ).toBeVisible();
  await page.reload();
  await expect(place).toContainText('Refused');
  await expect(place).toContainText('your client was not sent there');
  await expect(place.getByRole('button', { name: 'Confirm the new one', exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  await nameIssuer(issuer);
});

test('tools of a service that depend on an account are shown before its sign-in, after it, and after a disconnect', async ({
  page,
  browser,
}) => {
  await page.goto(`${publicUrl}/marketplace`);
  await expect(cardOf(page, 'Files')).toContainText('Tools after sign-in');
  await page.goto(`${publicUrl}/service/files`);
  await expect(page.getByRole('heading', { name: 'Sign in to see your tools', exact: true })).toBeVisible();
  await expect(page.getByText('This server has no tools.')).toHaveCount(0);
  await expectNoAxeFindings(page);

  await signIn(page, 'kit@souk.test');
  const account = page.getByRole('region', { name: 'Your Files account', exact: true });
  await expect(account).toContainText('Not signed in');
  await expect(page.getByRole('heading', { name: 'Sign in to see your tools', exact: true })).toBeVisible();
  expect(await callThroughLink(page, publicUrl, 'files__echo')).toContain('Unknown tool: files__echo');

  await account.getByRole('button', { name: 'Sign in to Files', exact: true }).click();
  await expect(account).toContainText('Connected');
  await expect(page.getByRole('heading', { name: 'Your account has 8 tools', exact: true })).toBeVisible();
  await expect(account).toContainText(/Tools\s*8/);
  await expectNoAxeFindings(page);
  expect(await callThroughLink(page, publicUrl, 'files__echo')).toContain('"content"');

  const elsewhere = await browser.newPage();
  await elsewhere.goto(`${publicUrl}/service/files`);
  await signIn(elsewhere, 'len@souk.test');
  await expect(elsewhere.getByRole('region', { name: 'Your Files account', exact: true })).toContainText(
    'Not signed in',
  );
  await expect(elsewhere.getByRole('heading', { name: 'Sign in to see your tools', exact: true })).toBeVisible();
  expect(await callThroughLink(elsewhere, publicUrl, 'files__echo')).toContain('Unknown tool: files__echo');
  await elsewhere.close();

  await account.getByRole('button', { name: 'Disconnect', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Disconnect Files?', exact: true });
  await question.getByRole('button', { name: 'Disconnect', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Sign in to see your tools', exact: true })).toBeVisible();
  expect(await callThroughLink(page, publicUrl, 'files__echo')).toContain('Unknown tool: files__echo');
});
