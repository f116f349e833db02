import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls } from './catalogue-answer.ts';
import { payAndReturn, subscribeTo } from './pay-with-card.ts';
import { expect, test } from './product-test.ts';
import { accountMenu, openSignedIn, signIn } from './sign-in.ts';

async function openProfile(page: Page, email: string): Promise<void> {
  await openSignedIn(page, '/dashboard?tab=profile', email);
  await expect(page.getByRole('region', { name: 'Profile', exact: true })).toContainText(email);
}

test('in the profile users export their data, and switch e-mails off', async ({ page }) => {
  await test.step("a user's data is exported as a file", async () => {
    await openProfile(page, 'taking@souk.test');
    const heal = await failCalls(page, '**/export', { message: 'The archive rests.' });
    const button = page.getByRole('button', { name: 'Export my data', exact: true });
    await button.click();
    const region = page.getByRole('region', { name: 'Your data', exact: true });
    await expect(region.getByRole('alert')).toHaveText('Failed to export your data: The archive rests.');
    await heal();
    const download = page.waitForEvent('download');
    await button.click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('souk-my-data.json');
    const text = await readFile(await file.path(), 'utf8');
    expect(JSON.parse(text)).toMatchObject({
      success: true,
      data: { profile: { email: 'taking@souk.test', displayName: 'taking' } },
    });
    await expect(region.getByRole('alert')).toHaveCount(0);
  });
  await test.step('e-mails are switched off by the keyboard and stay off, a failure reverts it, and the demo shows them on a page', async () => {
    const region = page.getByRole('region', { name: 'E-mails', exact: true });
    const credits = region.getByRole('switch', {
      name: 'Your purchased credits, or those of your plan, run low',
      exact: true,
    });
    await expect(credits).toBeChecked();
    await expect(region).toContainText('Always on, since they are about your money or the safety of your account:');
    await expect(region.getByRole('switch', { name: 'A payment failed', exact: true })).toHaveCount(0);
    const heal = await failCalls(page, '**/notices/credits_low', { message: 'The list rests.' });
    await credits.focus();
    await page.keyboard.press('Space');
    await expect(region.getByRole('alert')).toHaveText('Failed to save your choice: The list rests.');
    await expect(credits).toBeChecked();
    await heal();
    await page.keyboard.press('Space');
    await expect(credits).not.toBeChecked();
    await expect(region.getByRole('alert')).toHaveCount(0);
    await expectNoAxeFindings(page);
    await page.reload();
    await expect(credits).not.toBeChecked();
    await region.getByRole('link', { name: 'See the e-mails of the demo', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'E-mails of the demo', exact: true })).toBeVisible();
    await expect(page.getByRole('main')).toContainText('DEMO - no e-mail is sent.');
    await expectNoAxeFindings(page);
  });
});

test('an account is deleted when its e-mail is typed, everywhere immediately, and the address is free again', async ({
  page,
  browser,
  product,
}) => {
  const email = 'going@souk.test';
  const elsewhere = await browser.newContext({ baseURL: product.publicUrl });
  const other = await elsewhere.newPage();
  await openSignedIn(other, '/', email);
  await openProfile(page, email);

  await page.getByRole('button', { name: 'Delete account', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account?', exact: true });
  await expect(dialog).toContainText('This action cannot be undone.');
  const typed = dialog.getByLabel('Your e-mail');
  await typed.fill('somebody@souk.test');
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(typed).toHaveAttribute('aria-invalid', 'true');
  await expect(typed).toBeFocused();
  await expect(dialog).toContainText("This isn't the e-mail of your account.");
  await typed.fill(email.toUpperCase());
  const heal = await failCalls(page, '**/account', { message: 'A part of it rests.' });
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(dialog.getByRole('alert')).toHaveText('Failed to delete your account: A part of it rests.');
  await heal();
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await expect(accountMenu(page)).toHaveCount(0);
  await expect(page.getByText('Your account has been deleted.')).toBeVisible();
  await other.goto('/dashboard?tab=apps');
  await expect(other).toHaveURL(`${product.publicUrl}/`);
  await elsewhere.close();

  await signIn(page, email);
  await expect(accountMenu(page)).toBeVisible();
});

test('a paying user is told what is lost before they delete their account, and keeps none of it afterwards', async ({
  page,
}) => {
  const email = 'loses@souk.test';
  await openSignedIn(page, '/plans', email);
  await subscribeTo(page, 'Basic');
  await payAndReturn(page);
  await page.goto('/service/travel-pro?purchase=rental');
  await page.getByRole('button', { name: 'Continue to payment', exact: true }).click();
  await payAndReturn(page);

  await page.goto('/dashboard?tab=profile');
  const dialog = page.getByRole('alertdialog', { name: 'Delete your account?', exact: true });
  const open = async () => {
    // the section above it loads later, and moves the button
    await expect(page.getByRole('switch', { name: 'An access token expires soon', exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Delete account', exact: true }).click();
  };
  const heal = await failCalls(page, '**/api/billing/subscription', { message: 'The books rest.' });
  await page.reload();
  await open();
  await expect(dialog.getByRole('alert')).toContainText("We couldn't load what ends with your account.");
  await heal();
  await dialog.getByRole('button', { name: 'Try again', exact: true }).click();
  await expect(dialog.getByRole('link', { name: 'Refunds', exact: true })).toHaveAttribute('href', '/refunds');
  const losses = dialog.getByRole('list', { name: 'What ends with your account', exact: true }).getByRole('listitem');
  const day = '[A-Z][a-z]{2} \\d{1,2}, \\d{4}';
  await expect(losses).toHaveText([
    '200 creditsnot spent yet',
    new RegExp(`^Basic plan\\$5/month, paid until ${day}$`),
    new RegExp(`^Travel ProRental, paid until ${day}$`),
  ]);
  await expect(dialog).toContainText('Every renewal is canceled: you are not charged again.');
  const deletedText =
    'Your profile, settings, connected apps, access tokens and sign-ins to services are deleted immediately.';
  const keptText =
    "We keep anonymized records of payments and credits, and a fingerprint of your e-mail so that welcome credits and trials are given only once. Data that services keep on their own servers stays with them; we can't delete it.";
  await expect(dialog).toContainText(`${deletedText} This action cannot be undone.`);
  await expect(dialog).toContainText(`Apps that use your link stop working immediately. ${keptText}`);
  await expect(page.locator('#root'), 'people without files read nothing of files').not.toContainText(
    'files that services',
  );
  await expect(page.locator('#root'), 'the page says the same').toContainText(`${deletedText} ${keptText}`);
  await expectNoAxeFindings(page);
  await dialog.getByLabel('Your e-mail').fill(email);
  await dialog.getByRole('button', { name: 'Delete account', exact: true }).click();
  await expect(page.getByText('Your account has been deleted.')).toBeVisible();

  await signIn(page, email);
  await page.goto('/dashboard?tab=profile');
  await open();
  await expect(dialog).toContainText('You have no plan, no rental, no purchase and no credits.');
});
