import { administrator } from './administrator-calls.ts';
import { callThroughLink } from './call-through-link.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';
import { act, asPerson, warningOf } from './users-page.ts';

test("a service's page shows the files that it stores for a user, with their limit, and can delete them", async ({
  page,
  product,
  browser,
}) => {
  const email = 'keeps-files@souk.test';
  await openSignedIn(page, '/service/memory', email);
  const files = page.getByRole('region', { name: 'Your files', exact: true });
  await expect(page.getByRole('switch', { name: 'Use Memory', exact: true })).toBeVisible();
  await expect(files).toBeHidden();
  const entities = [{ name: 'Ann', entityType: 'person', observations: ['likes tea'] }];
  await callThroughLink(page, product.publicUrl, 'memory__create_entities', { entities });
  await page.reload();
  await expect(files).toContainText('less than 1 MB of the 256 MB that you may have.');
  await expect(files.getByRole('listitem')).toHaveText(/^Memory: less than 1 MB/);

  // users whose account deletion removes the files can read so, and so can an administrator who erases an account
  const kept = 'The files that services keep for you here are deleted too: those of Memory (less than 1 MB).';
  await page.goto('/dashboard?tab=profile');
  await expect(page.getByRole('main')).toContainText(kept);
  await page.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(page.getByRole('alertdialog', { name: 'Delete your account?', exact: true })).toContainText(kept);
  const admin = await asPerson(browser, product.publicUrl, administrator, '/admin?tab=users&q=keeps-files');
  await act(admin, 'View details', email).click();
  await admin.getByRole('button', { name: 'Erase user', exact: true }).click();
  await expect(warningOf(admin, 'Erase user?')).toContainText('files that services keep here: Memory (less than 1 MB)');
  await admin.context().close();
  await page.goto('/service/memory');

  const remove = files.getByRole('button', { name: 'Delete your files at Memory', exact: true });
  const dialog = page.getByRole('alertdialog', { name: 'Delete your files at Memory?', exact: true });
  await remove.click();
  await expectNoAxeFindings(page);
  const heal = await failCalls(page, '**/program-files/memory', { message: 'The disk is asleep.' });
  await dialog.getByRole('button', { name: 'Delete files', exact: true }).click();
  await expect(dialog.getByText('The disk is asleep.')).toBeVisible();
  await heal();
  await dialog.getByRole('button', { name: 'Delete files', exact: true }).click();
  await expect(files).toBeHidden();
  expect(await callThroughLink(page, product.publicUrl, 'memory__read_graph')).not.toContain('Ann');
});
