import { connectModern } from '../../apps/broker/src/testing/people/mcp-clients.ts';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import { administratorCalls, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { expect, test } from './product-test.ts';
import { chooseAccount, openSignedIn } from './sign-in.ts';
import { asPerson, dialogOf, openUsers, rowOf, warningOf } from './users-page.ts';

// The account of a user: it is deactivated, reactivated and erased, and that user is signed out and in again.

test.use({ reducedMotion: 'reduce' });

test('a user is deactivated, activated again and erased; each dialog says what happens to whom', async ({
  page,
  product,
  browser,
}) => {
  const email = 'leaver@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const calls = await administratorCalls(product.publicUrl);
  await calls.addUserSubscription({ params: { id }, body: { type: 'rental', mcpId: 'travel-pro' } });
  await calls.setUserCredits({ params: { id }, body: { credits: 12 } });
  const person = await asPerson(browser, product.publicUrl, email, '/dashboard?tab=profile');
  await openUsers(page, `&user=${id}`);
  const details = page.getByRole('dialog').filter({ hasText: id });
  await details.getByRole('button', { name: 'Deactivate user', exact: true }).click();
  const deactivate = warningOf(page, 'Deactivate user?');
  await expect(deactivate.getByRole('list', { name: 'What ends', exact: true })).toContainText('Travel Pro (rental)');
  await expectNoAxeFindings(page);
  await deactivate.getByRole('button', { name: 'Deactivate user', exact: true }).click();
  await expect(details).toContainText('This user is deactivated');
  await person.reload();
  await expect(person.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
  const why = person.getByRole('status').filter({ hasText: 'Your account has been deactivated' });
  await expect(why.getByRole('link', { name: 'support@souk.test', exact: true })).toBeVisible();
  await expectNoAxeFindings(person);
  await person.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true }).click();
  await chooseAccount(person, email);
  await expect(person.getByRole('heading', { level: 1 })).toHaveText('This account is deactivated');
  await expect(person.getByRole('link', { name: 'support@souk.test', exact: true })).toHaveAttribute(
    'href',
    'mailto:support@souk.test',
  );

  await page.goto(`/admin?tab=users&user=${id}&part=profile`);
  await expect(page.getByText("They can't sign in again while they are deactivated.")).toBeVisible();
  await page.getByRole('button', { name: 'Sign out everywhere', exact: true }).click();
  await expect(page.getByRole('alertdialog').or(page.getByRole('dialog'))).toContainText(
    "They can't sign in or connect apps while they are deactivated.",
  );
  await page.goto(`/admin?tab=users&user=${id}`);

  await details.getByRole('button', { name: 'Reactivate user', exact: true }).click();
  await dialogOf(page, 'Reactivate user?').getByRole('button', { name: 'Reactivate user', exact: true }).click();
  await expect(details.getByRole('button', { name: 'Deactivate user', exact: true })).toBeVisible();
  await openSignedIn(person, '/dashboard?tab=profile', email);

  await details.getByRole('button', { name: 'Erase user', exact: true }).click();
  const erase = warningOf(page, 'Erase user?');
  await expect(erase.getByRole('list', { name: 'What they lose', exact: true }).getByRole('listitem')).toHaveText([
    '12 credits',
    /^Travel Pro \(rental\), granted by an administrator until [A-Z][a-z]{2} \d{1,2}, \d{4}, \d{1,2}:\d\d\s[AP]M$/,
  ]);
  await expect(erase).toContainText('They lose now, without a refund:');
  await expectNoAxeFindings(page);
  await erase.getByRole('button', { name: 'Erase user', exact: true }).click();
  await expect(erase).toContainText("This isn't the user's email.");
  await erase.getByLabel("User's email").fill(email.toUpperCase());
  await erase.getByRole('button', { name: 'Erase user', exact: true }).click();
  await expect(page.getByText('The account is erased.')).toBeVisible();
  await expect(rowOf(page, email)).toHaveCount(0);
  await person.reload();
  await expect(person.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
  await person.context().close();
});

test('a user who is deactivated while their client calls a tool loses the call immediately, and the client is refused', async ({
  page,
  product,
}) => {
  const email = 'caller@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const { accessToken } = await new ScriptedBrowser(product.publicUrl).signInMcpClient({ email });
  const client = await connectModern(`${product.publicUrl}/mcp`, accessToken);
  await openUsers(page, `&user=${id}`);
  await page.getByRole('button', { name: 'Deactivate user', exact: true }).click();
  const runs = Promise.withResolvers<void>();
  const call = { name: 'everything__trigger-long-running-operation', arguments: { duration: 3_000, steps: 30_000 } };
  const ended = client.callTool(call, { onprogress: () => runs.resolve() });
  await runs.promise;
  await warningOf(page, 'Deactivate user?').getByRole('button', { name: 'Deactivate user', exact: true }).click();
  expect(await ended).toMatchObject({ isError: true, _meta: { 'souk/code': 'cancelled' } });
  await expect(page.getByRole('dialog').filter({ hasText: id })).toContainText('This user is deactivated');
  await expect(client.listTools()).rejects.toThrow();
  const refused = await fetch(`${product.publicUrl}/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${accessToken}` },
  });
  expect(refused.status).toBe(401);
  await client.close();
});
