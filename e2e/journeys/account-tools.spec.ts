import { once } from 'node:events';
import { forkProduct, type ForkedProduct } from '../forked-product.ts';
import { administrator } from './administrator-calls.ts';
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

/** Has the service name another authorization server. */
async function nameIssuer(issuer: unknown): Promise<void> {
  const done = once(product.child, 'message');
  product.child.send(String(issuer));
  await done;
}

test("the operator's client is shown where an administrator confirmed it, and nowhere else", async ({
  page,
  browser,
}) => {
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
      .getByRole('alertdialog', { name: `Show your client to ${host}?`, exact: true })
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
  await expect(place).toContainText('your client was not shown there');
  await expect(place.getByRole('button', { name: 'Confirm the new one', exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  await nameIssuer(issuer);
});

test('the tools of a service that depend on an account: before the sign-in there, after it, and after a disconnect', async ({
  page,
  browser,
}) => {
  await page.goto(`${publicUrl}/marketplace`);
  await expect(page.getByRole('article')).toContainText('Tools after sign-in');
  await page.goto(`${publicUrl}/service/files`);
  await expect(page.getByRole('heading', { name: 'Sign in to see your tools', exact: true })).toBeVisible();
  await expect(page.getByText('This server has no tools.')).toHaveCount(0);
  await expectNoAxeFindings(page);

  await signIn(page, 'kim@souk.test');
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
  await signIn(elsewhere, 'lee@souk.test');
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
