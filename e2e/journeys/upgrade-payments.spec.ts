import { expectNoAxeFindings } from './axe-findings.ts';
import {
  alwaysAuthenticatedCard,
  goodCard,
  goToPayment,
  laterDeclinedCard,
  payAndReturn,
  payWithCard,
  subscribeTo,
} from './pay-with-card.ts';
import { day, planOf, question, subscriptions } from './own-plans.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

test('an upgrade that the bank wants confirmed leads to its payment, names what would be paid twice, and begins once it is paid', async ({
  page,
}) => {
  await openSignedIn(page, '/plans', 'confirms@souk.test');
  await subscribeTo(page, 'Basic');
  await payWithCard(page, alwaysAuthenticatedCard);
  await page.getByRole('button', { name: 'Complete authentication', exact: true }).click();
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Successful!');
  await page.goto('/plans');
  await planOf(page, 'Pro').getByRole('button', { name: 'Upgrade to Pro', exact: true }).click();
  await question(page).getByRole('button', { name: /^Pay / }).click();
  await expect(page.getByRole('heading', { name: /^Invoice / })).toBeVisible();
  await page.goto('/service/travel-pro?purchase=rental');
  await goToPayment(page);
  await payAndReturn(page);
  await page.goto('/dashboard?tab=billing');
  const waiting = page.getByRole('status').filter({ hasText: 'Your upgrade to Pro is awaiting payment.' });
  await expect(waiting).toContainText(
    new RegExp(`by ${day}, .*If you do nothing, you stay on Basic and pay nothing for the upgrade\\.`),
  );
  const twice = 'Pro includes Travel Pro, which you rent. With both, you pay twice.';
  await expect(waiting).toContainText(twice);
  await expect(subscriptions(page)).toContainText('Basicactive');
  await expectNoAxeFindings(page);
  await subscriptions(page).getByRole('button', { name: 'Cancel Basic', exact: true }).click();
  await expect(question(page)).toContainText('Your unpaid upgrade to Pro is canceled too, and you pay nothing for it.');
  await question(page).getByRole('button', { name: 'Keep it', exact: true }).click();
  await page.goto('/plans');
  await expect(planOf(page, 'Pro').getByRole('button', { name: 'Awaiting payment', exact: true })).toBeDisabled();
  await expect(planOf(page, 'Pro')).toContainText(
    new RegExp(
      `Confirm and pay it by ${day}, .*\\. If you do nothing, you stay on Basic and pay nothing for the upgrade\\.`,
    ),
  );
  await expect(planOf(page, 'Pro')).toContainText(twice);
  await planOf(page, 'Enterprise').getByRole('button', { name: 'Upgrade to Enterprise', exact: true }).click();
  await expect(question(page)).toContainText('Your unpaid upgrade to Pro is canceled, and you pay nothing for it.');
  await question(page).getByRole('button', { name: 'Not now', exact: true }).click();
  await expectNoAxeFindings(page);
  const opened = page.waitForEvent('popup');
  await planOf(page, 'Pro')
    .getByRole('link', { name: /^Pay \$1\d(\.\d\d)? for the upgrade to Pro/ })
    .click();
  const invoice = await opened;
  await payWithCard(invoice, goodCard);
  await expect(invoice.getByText(', paid')).toBeVisible();
  await invoice.close();
  await expect(async () => {
    await page.goto('/dashboard?tab=billing');
    await expect(subscriptions(page)).toContainText('Proactive', { timeout: 5_000 });
  }).toPass();
  await expect(waiting).toHaveCount(0);
  await page.goto('/plans');
  await expect(planOf(page, 'Pro').getByRole('button', { name: 'Current plan', exact: true })).toBeVisible();
});

test('an upgrade that the card does not pay offers another card, which leads back to the upgrade and pays it', async ({
  page,
}) => {
  await openSignedIn(page, '/service/travel-pro', 'declined-upgrade@souk.test');
  await page.getByRole('button', { name: /^Start \d+-day trial/ }).click();
  await question(page).getByRole('button', { name: 'Start trial', exact: true }).click();
  await expect(page.getByRole('region', { name: 'Your access', exact: true })).toContainText('Your trial');
  await page.goto('/plans');
  await subscribeTo(page, 'Basic');
  await payWithCard(page, laterDeclinedCard);
  await expect(page.getByRole('heading', { level: 1 })).toHaveText('Payment Successful!');
  await page.goto('/plans');
  const upgrade = planOf(page, 'Pro').getByRole('button', { name: 'Upgrade to Pro', exact: true });
  await upgrade.click();
  await expect(question(page)).toContainText(
    new RegExp(
      `Your trial of Travel Pro runs until ${day}\\. Pro includes Travel Pro as soon as you pay, and the remaining days`,
    ),
  );
  await question(page).getByRole('button', { name: /^Pay / }).click();
  const refusal = question(page).getByRole('alert');
  await expect(refusal).toContainText(
    /^Failed to change the plan: Your card was declined\. Nothing was charged, and you stay on Basic\./,
  );
  await expectNoAxeFindings(page);
  await refusal.getByRole('button', { name: 'Change card', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Change card', exact: true })).toBeVisible();
  await payWithCard(page, goodCard);
  await expect(question(page)).toContainText('Change to Pro?');
  await expect(page).toHaveURL(/\/plans$/);
  await expect(question(page)).toContainText('Charged toVisa ending in 4242');
  await expect(page.getByText('Your renewals are charged to Visa ending in 4242 from now on.')).toBeVisible();
  await question(page).getByRole('button', { name: /^Pay / }).click();
  await expect(planOf(page, 'Pro').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
});
