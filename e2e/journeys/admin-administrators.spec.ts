import { administrator, newPerson, secondAdministrator } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { routeNow } from './route-now.ts';
import { expect, test } from './product-test.ts';
import { asPerson, dialogOf, openUsers, rowOf, warningOf, writesOf } from './users-page.ts';

// What administrators may do to another administrator's account and to their own.

const second = secondAdministrator;

test.use({ reducedMotion: 'reduce' });

test('administrators cannot deactivate themselves, and deactivate another administrator only with a second confirmation', async ({
  page,
  product,
  browser,
}) => {
  const [ownId, id] = [await newPerson(product.publicUrl, administrator), await newPerson(product.publicUrl, second)];
  const other = await asPerson(browser, product.publicUrl, second, '/admin?tab=users');
  await expect(rowOf(other, second)).toBeVisible();
  const writes = writesOf(page);

  await openUsers(page, `&user=${ownId}`);
  const own = page.getByRole('dialog').filter({ hasText: ownId });
  await expect(own).toContainText('This is your own account: you cannot deactivate or erase it here.');
  await expect(own.getByRole('button', { name: /Deactivate|Reactivate|Erase/ })).toHaveCount(0);
  await expectNoAxeFindings(page);
  await own.getByRole('link', { name: 'Open full page', exact: true }).click();
  await expect(page.getByText('This is your own account')).toBeVisible();
  for (const name of ['Sign out everywhere', 'Deactivate user', 'Erase user'])
    await expect(page.getByRole('button', { name, exact: true })).toHaveCount(0);

  await page.goto(`/admin?tab=users&user=${id}`);
  const details = page.getByRole('dialog').filter({ hasText: id });
  await details.getByRole('button', { name: 'Deactivate user', exact: true }).click();
  const deactivate = warningOf(page, 'Deactivate user?');
  const deactivateButton = deactivate.getByRole('button', { name: 'Deactivate user', exact: true });
  const confirmation = deactivate.getByRole('checkbox', { name: 'Yes, deactivate an administrator', exact: true });
  await expect(confirmation).not.toBeChecked();
  await expect(deactivateButton).toBeDisabled();
  await deactivate.getByLabel('Reason (optional)').focus();
  await page.keyboard.press('Enter');
  await expect(deactivate).toBeVisible();
  expect(writes, 'Enter does not send it either').toEqual([]);
  await confirmation.check();
  await expectNoAxeFindings(page);
  await deactivateButton.click();
  await expect(details).toContainText('This user is deactivated');
  expect(writes.splice(0)).toEqual([
    {
      call: 'POST /admin/users/:id/deactivate',
      body: { reason: '', endNow: false, confirmAdministrator: true },
    },
  ]);
  await other.reload();
  await expect(other.getByRole('heading', { name: 'Access Denied', exact: true })).toBeVisible();
  await details.getByRole('button', { name: 'Reactivate user', exact: true }).click();
  await dialogOf(page, 'Reactivate user?').getByRole('button', { name: 'Reactivate user', exact: true }).click();
  await expect(details.getByRole('button', { name: 'Deactivate user', exact: true })).toBeVisible();

  // for a user who became an administrator after the page was loaded the confirmation is requested then
  await routeNow(page, '**/admin/billing/users/*', async (route) => {
    const answer = await route.fetch();
    const billing = Object(await answer.json());
    await route.fulfill({ response: answer, json: { ...billing, user: { ...billing.user, role: 'user' } } });
  });
  await page.reload();
  await details.getByRole('button', { name: 'Deactivate user', exact: true }).click();
  await deactivate.getByLabel('Reason (optional)').fill('Has left');
  await deactivateButton.click();
  await expect(deactivate.getByRole('alert')).toContainText('This user is an administrator.');
  await expect(deactivateButton).toBeDisabled();
  await expect(deactivate.getByLabel('Reason (optional)'), 'kept').toHaveValue('Has left');
  await confirmation.check();
  await deactivateButton.click();
  await expect(details).toContainText('This user is deactivated');

  // the address confirms an erasure, also of an administrator
  await details.getByRole('button', { name: 'Erase user', exact: true }).click();
  const erase = warningOf(page, 'Erase user?');
  await erase.getByLabel("User's email").fill(administrator);
  await erase.getByRole('button', { name: 'Erase user', exact: true }).click();
  await expect(erase).toContainText("This isn't the user's email.");
  await erase.getByLabel("User's email").fill(second);
  await erase.getByRole('button', { name: 'Erase user', exact: true }).click();
  await expect(page.getByText('The account is erased.')).toBeVisible();
  await expect(rowOf(page, second)).toHaveCount(0);
  await other.context().close();
});
