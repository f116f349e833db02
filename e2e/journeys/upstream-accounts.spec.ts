import { expectNoAxeFindings } from './axe-findings.ts';
import { expectOwnIcon } from './own-icon.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

test('[SIGN-46] [SIGN-53] the dashboard names the services that need an account, and signs in there in a window', async ({
  page,
}) => {
  await openSignedIn(page, '/dashboard', 'own@souk.test');
  const services = page.getByRole('region', { name: 'Services that need your account', exact: true });
  await expect(services).toContainText('Notes');
  await expect(services).toContainText('Not signed in');

  const opened = page.waitForEvent('popup');
  await services.getByRole('button', { name: 'Sign in to Notes', exact: true }).click();
  const popup = await opened;
  await expect(services.getByText('Finish in the other window.')).toBeVisible();
  await expect(popup.getByText(/asks for access to your notes/)).toBeVisible();
  await expectOwnIcon(popup);
  await popup.getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(popup.getByLabel('Your name')).toHaveAccessibleDescription('Type a name of 1 to 60 characters.');
  for (const colorScheme of ['light', 'dark'] as const) {
    await popup.emulateMedia({ colorScheme });
    await expectNoAxeFindings(popup);
  }
  await popup.getByLabel('Your name').fill('Olive');
  await popup.getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(services).toContainText('Connected');
  await expect(services.getByText('Finish in the other window.')).toHaveCount(0);
  await expect(services.getByRole('heading')).toBeFocused();
  await expect(services.getByRole('button')).toHaveCount(0);
  await services.getByRole('link', { name: 'Manage your Notes account', exact: true }).click();
  await expect(page).toHaveURL(/\/connect\/notes$/);
});

test('the short tool list can be chosen on the dashboard, and stays chosen', async ({ page }) => {
  await openSignedIn(page, '/dashboard', 'short@souk.test');
  const choice = page.getByRole('region', { name: 'Short tool list', exact: true });
  await expect(choice).toContainText(/Your clients see \d+ tools: \d+ of your services and 5 helper tools/);
  await choice.getByRole('switch', { name: 'Short list', exact: true }).click();
  await expect(choice).toContainText('Your clients see 5 helper tools');
  await page.reload();
  await expect(choice).toContainText('Your clients see 5 helper tools');
});
