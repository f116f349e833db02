import { userInfo } from 'node:os';
import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { connectModern } from '../../apps/broker/src/testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import { runToEnd } from '../product.ts';
import { erasePerson, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { buy } from './bought.ts';
import { callThroughLink } from './call-through-link.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';
import { asPerson, dialogOf, openUsers, warningOf } from './users-page.ts';

// A user's page, as an administrator works on it and the user sees the results.

test.use({ reducedMotion: 'reduce' });

const part = (page: Page, name: string) => page.getByRole('tab', { name, exact: true });
const openPart = async (page: Page, name: string) => {
  await part(page, name).click();
  await expect(part(page, name)).toHaveAttribute('aria-selected', 'true');
};
const tableOf = (page: Page, name: string) => page.getByRole('table', { name, exact: true });
const rowWith = (page: Page, table: string, text: string | RegExp) =>
  tableOf(page, table).getByRole('row').filter({ hasText: text });

test("a payment is refunded in part on the user's page, and the user finds it in their history and the credits clawed back", async ({
  page,
  product,
  browser,
}) => {
  const email = 'refunded@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const { accessToken } = await new ScriptedBrowser(product.publicUrl).signInWeb({ email });
  await buy(product.publicUrl, accessToken, { type: 'credit', planId: 'credits-500' });
  await openUsers(page, `&user=${id}`);
  await page.getByRole('dialog').getByRole('link', { name: 'Open full page', exact: true }).click();
  await expect(page).toHaveURL(/user=[^&]+&part=profile|part=profile/);
  await expect(page.getByRole('heading', { level: 2, name: /refunded/ })).toBeVisible();
  await expectNoAxeFindings(page);

  await openPart(page, 'Credits');
  await expect(tableOf(page, 'Ledger')).toBeVisible();
  await expectNoAxeFindings(page);
  await rowWith(page, 'Ledger', 'Purchase')
    .getByRole('button', { name: /^Payment/ })
    .click();
  await expect(page).toHaveURL(/part=payments.*payment=/);
  const refundButton = rowWith(page, 'Payments', 'Credits').getByRole('button', { name: /^Refund/ });
  await refundButton.click();
  const dialog = warningOf(page, 'Refund payment');
  await expect(
    dialog.getByText(/is refunded to the payment method that was used\. .* are clawed back\./),
  ).toBeVisible();
  await dialog.getByLabel(/^Amount/).fill('9999');
  await expect(dialog).toContainText(/At most \$.* can be refunded\./);
  await dialog.getByLabel(/^Amount/).fill('1.50');
  await dialog.getByRole('button', { name: 'Refund $1.50', exact: true }).click();
  await expect(dialog).toContainText('Enter a reason for the audit log.');
  await expect(dialog.getByLabel('Reason')).toBeFocused();
  await expectNoAxeFindings(page);
  await page.keyboard.press('Escape');
  await expect(dialog).toHaveCount(0);
  await expect(refundButton, 'the focus returns').toBeFocused();
  await refundButton.click();
  await dialog.getByLabel(/^Amount/).fill('1.50');
  await dialog.getByLabel('Reason').fill('came twice');
  const taken = await dialog.getByText(/are clawed back/).innerText();
  await dialog.getByRole('button', { name: 'Refund $1.50', exact: true }).click();
  await expect(page.getByText(`$1.50 is refunded to ${email}.`)).toBeVisible();
  await expect(rowWith(page, 'Payments', '$1.50 refunded')).toBeVisible();
  await expect(rowWith(page, 'Payments', '-$1.50')).toBeVisible();
  await openPart(page, 'Credits');
  const back = rowWith(page, 'Ledger', 'Clawed back: refund');
  const credits = /([\d,]+) of the/.exec(taken)?.[1];
  await expect(back).toContainText(`-${credits}`);
  await openPart(page, 'Audit');
  await expect(rowWith(page, 'Audit log', 'Requested the refund of a payment')).toContainText(
    /admin@souk\.test.*refunded: \$0.*\$1\.50.*amount: \$1\.50.*Reason: came twice/s,
  );

  // the operator refunds the rest in the terminal
  const souk = (...args: string[]) =>
    runToEnd(['apps/broker/src/operator/souk.ts', ...args], { DATA_DIR: product.dataDir });
  const listed = await souk('payments', 'list', '--email', email);
  expect(listed.stdout).toMatch(/\$5, completed, up to \$3\.50 can be refunded/);
  const paymentId = /^([0-9a-f-]{36}) .* can be refunded$/m.exec(listed.stdout)?.[1] ?? '';
  const rest = ['payments', 'refund', '--email', email, '--payment', paymentId];
  expect((await souk(...rest, '--amount', '3.505')).output).toContain('--amount has more than the 2 decimals of USD');
  expect((await souk(...rest, '--amount', '3.5')).stdout).toContain('$3.50 was refunded');
  await openPart(page, 'Payments');
  await expect(rowWith(page, 'Payments', '$5 refunded')).toBeVisible();
  await openPart(page, 'Audit');
  await page.reload();
  await expect(
    rowWith(page, 'Audit log', 'Requested the refund of a payment').filter({
      has: page.getByRole('button', { name: `Command line (${userInfo().username})`, exact: true }),
    }),
  ).toBeVisible();

  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=billing');
  const history = person.getByRole('region', { name: 'Billing History', exact: true });
  for (const amount of ['+$1.50', '+$3.50'])
    await expect(history.getByRole('row').filter({ hasText: amount })).toBeVisible();
  await person.context().close();
  await erasePerson(product.publicUrl, id, email);
});

test('a user who is signed out everywhere loses their browser and their apps, and can sign in again until they are erased', async ({
  page,
  product,
  browser,
}) => {
  const email = 'signed-out@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=profile');
  const { accessToken } = await new ScriptedBrowser(product.publicUrl).signInMcpClient({ email });
  const client = await connectModern(`${product.publicUrl}/mcp`, accessToken);
  expect((await client.listTools()).tools.length).toBeGreaterThan(0);
  await openUsers(page, `&user=${id}&part=apps`);
  const apps = page.getByRole('list', { name: 'Connected apps', exact: true });
  await expect(apps.getByRole('listitem')).toHaveCount(1);
  await expect(page.getByRole('list', { name: 'Browsers', exact: true }).getByRole('listitem')).toHaveCount(2);
  await expectNoAxeFindings(page);
  await openPart(page, 'Profile');
  await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  const dialog = warningOf(page, 'Sign out everywhere?');
  await dialog.getByLabel('Reason (optional)').fill('lost laptop');
  await expectNoAxeFindings(page);
  await dialog.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  await expect(page.getByText(`${email} is signed out: 2 browsers, 1 app.`)).toBeVisible();
  const refused = await fetch(`${product.publicUrl}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}` },
  });
  expect(refused.status).toBe(401);
  await expect(client.callTool({ name: 'list_my_servers', arguments: {} })).rejects.toThrow();
  await person.reload();
  await expect(person.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
  await openPart(page, 'Apps and tokens');
  await expect(page.getByText('No app is connected.', { exact: true })).toBeVisible();
  await expect(page.getByText('No browser is signed in.', { exact: true })).toBeVisible();
  await openPart(page, 'Sign-ins');
  await expect(rowWith(page, 'Sign-ins', 'Signed in')).toHaveCount(3);
  await expectNoAxeFindings(page);
  await openPart(page, 'Audit');
  await expect(rowWith(page, 'Audit log', 'Signed a user out everywhere')).toContainText(
    /apps: 1 · tokens: 0 · browsers: 2.*Reason: lost laptop/s,
  );
  await client.close();
  await openSignedIn(person, '/dashboard?tab=profile', email);
  await openPart(page, 'Profile');
  await page.getByRole('button', { name: 'Erase user', exact: true }).click();
  const erase = warningOf(page, 'Erase user?');
  await expect(erase).toContainText('What stays: records of payments and credits and the audit log, without a name');
  await erase.getByLabel("User's email").fill(email);
  await erase.getByRole('button', { name: 'Erase user', exact: true }).click();
  await expect(page.getByText('The account is erased.')).toBeVisible();
  await expect(page).toHaveURL(/\/admin\?tab=users$/);
  await person.reload();
  await expect(person.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
  await person.context().close();
});

test('calls are filtered by the address, a token is revoked, data is saved as a file, and the address of an unknown user says so', async ({
  page,
  product,
  browser,
}) => {
  const email = 'looked-at@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=profile');
  await callThroughLink(person, product.publicUrl, 'everything__echo', { message: 'a secret of theirs' });
  await openUsers(page, `&user=${id}&part=calls`);
  await expect(rowWith(page, 'Calls', 'echo')).toContainText(/Answered.*journey/s);
  await expect(page.getByRole('main')).not.toContainText('a secret of theirs');
  await expectNoAxeFindings(page);
  await page.getByLabel('Service').fill('nothing-of-it');
  await page.getByRole('button', { name: 'Apply', exact: true }).click();
  await expect(page.getByText('No call matches these filters')).toBeVisible();
  await expect(page).toHaveURL(/service=nothing-of-it/);
  await page.goBack();
  await expect(rowWith(page, 'Calls', 'echo')).toBeVisible();
  await expect(page.getByLabel('Service')).toHaveValue('');

  await openPart(page, 'Apps and tokens');
  await page
    .getByRole('list', { name: 'Access tokens', exact: true })
    .getByRole('button', { name: 'Revoke journey', exact: true })
    .click();
  await warningOf(page, 'Revoke journey?').getByRole('button', { name: 'Revoke token', exact: true }).click();
  await expect(page.getByText('There are no access tokens.')).toBeVisible();
  await openPart(page, 'Profile');
  await page.getByRole('button', { name: 'Export data', exact: true }).click();
  const dialog = dialogOf(page, 'Export data');
  await dialog.getByLabel('Reason (optional)').fill('asked by letter');
  const download = page.waitForEvent('download');
  await dialog.getByRole('button', { name: 'Export data', exact: true }).click();
  const saved: unknown = JSON.parse(await readFile(await (await download).path(), 'utf8'));
  expect(saved).toMatchObject({ success: true, data: { profile: { id, email }, usage: [{ name: 'echo' }] } });
  expect(JSON.stringify(saved)).not.toContain('a secret of theirs');
  await person.context().close();
  await erasePerson(product.publicUrl, id, email);
  await page.goto(`/admin?tab=users&user=${id}&part=payments`);
  await expect(page.getByText('There is no such user')).toBeVisible();
  await expectNoAxeFindings(page);
});
