import { rm } from 'node:fs/promises';
import {
  companyClient,
  startCompanyProvider,
} from '../../apps/broker/src/features/identity/testing/company-provider.ts';
import { ProviderBrowser } from '../../apps/broker/src/features/identity/testing/provider-browser.ts';
import { freePort, newDataDir, startProduct } from '../product.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { expect, test } from './product-test.ts';
import { accountMenu } from './sign-in.ts';

// What an administrator does with an account asks for a sign-in of the last 15 minutes. The provider dates the one that they
// have as older than that.

test('deactivating a user asks an administrator to sign in again, in a window; what was typed stays, and it is done', async ({
  browser,
}) => {
  const [port, dataDir] = [await freePort(), await newDataDir()];
  const company = await startCompanyProvider([`http://localhost:${port}/auth/oidc/callback`]);
  const product = await startProduct({
    port,
    dataDir,
    env: {
      BUNDLED_CATALOGUE: 'off',
      ADMIN_EMAILS: 'ana@acme.test',
      OIDC_ISSUER: company.issuer,
      OIDC_CLIENT_ID: companyClient.clientId,
      OIDC_CLIENT_SECRET: companyClient.clientSecret,
      OIDC_NAME: 'Acme',
    },
  });
  const context = await browser.newContext({ baseURL: product.publicUrl, reducedMotion: 'reduce' });
  try {
    const ana = company.person;
    company.person = { sub: 'acme-2', email: 'bo@acme.test', name: 'Bo', email_verified: true };
    await new ProviderBrowser(product.publicUrl, company.issuer).signInWeb({ provider: 'oidc' });
    company.person = ana;
    company.signedInAgoSeconds = 20 * 60;
    const page = await context.newPage();
    await page.goto('/');
    await page.getByRole('banner').getByRole('button', { name: 'Sign In' }).click();
    // the company knows who sits there, and asks nothing
    await page.getByRole('button', { name: 'Continue with Acme' }).click();
    await expect(accountMenu(page)).toBeVisible();

    await page.goto('/admin?tab=users');
    await page.getByRole('button', { name: 'View details: bo@acme.test' }).click();
    await page.getByRole('button', { name: 'Deactivate user' }).click();
    const dialog = page.getByRole('alertdialog', { name: 'Deactivate user?' });
    await dialog.getByLabel('Reason (optional)').fill('Left the company');
    await dialog.getByRole('button', { name: 'Deactivate user' }).click();
    await expect(dialog.getByRole('alert')).toContainText('your last sign-in was more than 15 minutes ago.');
    await expectNoAxeFindings(page);

    // the provider sends the person on by the sign-in that it has: nothing is done
    const again = dialog.getByRole('button', { name: 'Sign in again' });
    const opened = page.waitForEvent('popup');
    await again.click();
    const refused = await opened;
    await expect(refused.getByText('did not ask you to sign in again.')).toBeVisible();
    await refused.close();
    await expect(dialog.getByRole('alert')).toContainText('The window was closed before you had signed in again.');

    await expect(dialog.getByLabel('Reason (optional)')).toHaveValue('Left the company');

    company.signedInAgoSeconds = 0;
    await again.click();
    await expect(dialog).toHaveCount(0);
    const details = page.getByRole('dialog').filter({ hasText: 'bo@acme.test' });
    await expect(details).toContainText('This user is deactivated');
    await page.keyboard.press('Escape');
    await expect(page.getByRole('row').filter({ hasText: 'bo@acme.test' })).toContainText('Inactive');
    await expect(accountMenu(page)).toBeVisible();
  } finally {
    await context.close();
    await product.kill('SIGTERM');
    await company.close();
    await rm(dataDir, { recursive: true, force: true });
  }
});
