import { moneyText } from '@souk/contract/billing/currencies.ts';
import { changeSubscription } from '@souk/contract/billing/payments.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls } from './catalogue-answer.ts';
import { payAndReturn, subscribeTo } from './pay-with-card.ts';
import { credits, day, expectLegalLinks, planOf, question, subscriptions } from './own-plans.ts';
import { changeOwned } from './offers-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

test('[PLAN-6] a plan is subscribed to, upgraded at the price that was shown, and canceled with a scheduled change', async ({
  page,
}) => {
  await openSignedIn(page, '/plans', 'subscribes@souk.test');
  await subscribeTo(page, 'Basic');
  await payAndReturn(page);
  await page.getByRole('link', { name: 'Manage Subscription', exact: true }).click();
  await expect(subscriptions(page)).toContainText(new RegExp(`Basicactive.*next billing date ${day}`));
  await expect(credits(page)).toContainText(new RegExp(`From your plan expire ${day}200`));

  await subscriptions(page).getByRole('link', { name: 'Change plan', exact: true }).click();
  await expect(planOf(page, 'Basic').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  const changePath = '**/api/billing/subscriptions/*/change';
  // a dollar less than it is
  await routeNow(page, changePath, async (route) => {
    const response = await route.fetch();
    const answer = changeSubscription.answer.parse(await response.json());
    await route.fulfill({
      response,
      json: { ...answer, change: { ...answer.change, amountDue: answer.change.amountDue - 100 } },
    });
  });
  await planOf(page, 'Pro').getByRole('button', { name: 'Upgrade to Pro', exact: true }).click();
  const payment = question(page).getByRole('button', { name: /^Pay / });
  const shown = await payment.textContent();
  await page.unroute(changePath);
  await payment.click();
  const due = moneyText(Math.round(Number(shown?.slice(5)) * 100) + 100, 'USD');
  await expect(question(page).getByRole('alert')).toHaveText(
    `Failed to change the plan: The price has changed: ${due} now, then $19 a month. Please confirm it again.`,
  );
  await expect(payment).toHaveText(`Pay ${due}`);
  await expect(question(page)).toContainText('From the next period$19/month');
  await expect(question(page)).toContainText('Credits added now, for the rest of this period800');
  await expect(question(page)).toContainText('Credits each month, from the next period1,000');
  await expectLegalLinks(question(page));
  await expectNoAxeFindings(page);
  await question(page)
    .getByRole('button', { name: /^Pay \$1\d(\.\d\d)?$/ })
    .click();
  await expect(planOf(page, 'Pro').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  await planOf(page, 'Basic').getByRole('button', { name: 'Downgrade to Basic', exact: true }).click();
  await expect(question(page)).toContainText(
    new RegExp(
      `Pro stays until${day}Due now\\$0Basic from then on\\$5/monthCredits each month, from then on200` +
        `Credits left from Pro, which expire on ${day}1,000Services that you lose thenTravel Pro`,
    ),
  );
  const texts = await question(page).evaluateHandle((dialog) => {
    const seen = [dialog.textContent];
    const look = () => seen.push(dialog.textContent);
    new MutationObserver(look).observe(dialog, { subtree: true, childList: true, characterData: true });
    return seen;
  });
  await question(page).getByRole('button', { name: 'Not now', exact: true }).click();
  await expect(question(page)).toHaveCount(0);
  expect(new Set(await texts.jsonValue()).size, 'nothing else flashes while it closes').toBe(1);
  await planOf(page, 'Basic').getByRole('button', { name: 'Downgrade to Basic', exact: true }).click();
  await question(page).getByRole('button', { name: 'Change plan', exact: true }).click();
  await expect(question(page)).toHaveCount(0);
  await page.goto('/service/travel-pro?purchase=rental');
  await expect(page.getByRole('dialog', { name: 'Rent Travel Pro', exact: true })).toContainText(
    new RegExp(`Your plan includes Travel Pro until ${day}\\. You can rent it from then on\\.`),
  );
  await page.goto('/dashboard?tab=billing');
  await expect(subscriptions(page)).toContainText(new RegExp(`Proactive.*changes to Basic on ${day} · \\$5`));
  await subscriptions(page).getByRole('button', { name: 'Cancel Pro', exact: true }).click();
  await expect(question(page)).toContainText(
    new RegExp(`resume until then\\. Your change to Basic won't happen, unless you resume\\. The 1,000 credits`),
  );
  await question(page).getByRole('button', { name: 'Cancel subscription', exact: true }).click();
  await expect(subscriptions(page)).toContainText('Procanceled');
  await page.goto('/plans');
  await expect(planOf(page, 'Pro')).toContainText(new RegExp(`Ends at the end of the billing period, on ${day}\\.`));
  await expect(planOf(page, 'Pro'), 'the change is dropped unless they resume').not.toContainText(/Changes to|Keep/);
  await expect(planOf(page, 'Basic')).toContainText(
    new RegExp(`Resume Pro to change to Basic on ${day}, as you chose, or subscribe after that day\\.`),
  );
  await expect(planOf(page, 'Enterprise')).toContainText(
    new RegExp(`Resume Pro and keep it instead of Basic to change to Enterprise now, or subscribe after ${day}\\.`),
  );
  await planOf(page, 'Pro').getByRole('link', { name: 'Resume it', exact: true }).click();
  await subscriptions(page).getByRole('button', { name: 'Resume Pro', exact: true }).click();
  await expect(question(page)).toContainText(
    new RegExp(
      `then changes to Basic, as you chose before you canceled\\. \\$5 is charged on ${day} to Visa ending in 4242,`,
    ),
  );
  await question(page).getByRole('button', { name: 'Resume', exact: true }).click();
  await expect(subscriptions(page)).toContainText(new RegExp(`Proactive.*changes to Basic on ${day}`));
  const failPayment = (status: 'past_due' | 'unpaid') =>
    changeOwned(page, ({ subscription, ...answer }) => {
      const subscriptions = subscription.subscriptions.map((one) => ({ ...one, status }));
      return { ...answer, subscription: { ...subscription, subscriptions } };
    });
  await failPayment('past_due');
  await page.goto('/plans');
  await expect(planOf(page, 'Pro')).toContainText('The last payment failed. Pay it');
  await expect(planOf(page, 'Pro'), 'the broker would refuse it').not.toContainText(/Changes to|Keep/);
  await failPayment('unpaid');
  await page.goto('/plans');
  await planOf(page, 'Enterprise').getByRole('button', { name: 'Subscribe to Enterprise', exact: true }).click();
  await expect(question(page)).toContainText(
    'Your Pro plan was not paid. It ends once you pay here, and nothing more is charged for it.',
  );
});

test('a plan is canceled, after reported failures, says when it ends, and is resumed', async ({ page }) => {
  const cancel = subscriptions(page).getByRole('button', { name: 'Cancel Pro', exact: true });
  const confirm = question(page).getByRole('button', { name: 'Cancel subscription', exact: true });
  await openSignedIn(page, '/plans', 'resumes@souk.test');
  await subscribeTo(page, 'Pro');
  await payAndReturn(page);
  await page.goto('/dashboard?tab=billing');
  const history = page.getByRole('region', { name: 'Billing History', exact: true });
  // the content above the plan is loaded, and no longer moves it
  await expect(history.getByRole('row', { name: /Pro plan/ }).first()).toBeVisible();
  await cancel.click();
  await test.step('[SUB-16] [SUB-18] [SUB-19] [ERR-14] a question comes before the end, and a failure is reported with its reason', async () => {
    await expect(question(page)).toContainText(
      new RegExp(
        `Are you sure you want to cancel this system subscription\\? You keep access until ${day} and can resume until then\\. The 1,000 credits that are left from this plan expire on ${day}\\. With the plan you lose .*Travel Pro\\.`,
      ),
    );
    const path = '**/cancel-subscription/*';
    const heal = await failCalls(page, path, { message: 'The office is closed.' });
    await confirm.click();
    await expect(question(page).getByRole('alert')).toHaveText('Failed to cancel subscription: The office is closed.');
    await heal();
    await routeNow(page, path, (route) => route.fulfill({ status: 500, body: 'no JSON' }));
    await confirm.click();
    await expect(question(page).getByRole('alert')).toHaveText(
      'Failed to cancel subscription. Please try again or contact support.',
    );
    await page.unroute(path);
  });
  await test.step('[PLAN-7] [SUB-17] [SUB-22] [SUB-23] it is canceled, says when it ends, and is resumed', async () => {
    const reloaded = page.waitForResponse('**/api/billing/subscription');
    await confirm.click();
    await reloaded;
    await expect(subscriptions(page)).toContainText(
      new RegExp(`Procanceled.*ends at the end of the billing period, on ${day}`),
    );
    await expect(cancel).toHaveCount(0);
    await expect(page.getByRole('list', { name: 'Payment methods', exact: true })).toContainText(
      'Not charged, unless you resume what you canceled',
    );

    await page.goto('/plans');
    await expect(planOf(page, 'Pro')).toContainText(new RegExp(`Ends at the end of the billing period, on ${day}\\.`));
    await expectNoAxeFindings(page);
    await expect(planOf(page, 'Basic')).toContainText(
      new RegExp(`Resume Pro to plan a change to Basic, or subscribe after ${day}\\.`),
    );
    await expect(planOf(page, 'Free').getByRole('button', { name: new RegExp(`^Starts ${day}$`) })).toBeDisabled();
    await expect(page.getByRole('link', { name: 'Manage plan', exact: true })).toHaveCount(0);
    await page.goto('/service/travel-pro?purchase=rental');
    await expect(page.getByRole('dialog', { name: 'Rent Travel Pro', exact: true })).toContainText(
      new RegExp(
        `Your Pro plan includes Travel Pro until ${day}\\. The rental starts as soon as you pay, so you pay twice until then\\.`,
      ),
    );
    await expectNoAxeFindings(page);
    await page.goto('/plans');
    await planOf(page, 'Pro').getByRole('link', { name: 'Resume it', exact: true }).click();
    await expect(history.getByRole('row', { name: /Pro plan/ }).first()).toBeVisible();
    await subscriptions(page).getByRole('button', { name: 'Resume Pro', exact: true }).click();
    await expect(question(page)).toContainText(
      new RegExp(
        `^Resume Pro\\?\\$19 is charged on ${day} to Visa ending in 4242, and then each month until you cancel`,
      ),
    );
    await expectNoAxeFindings(page);
    await question(page).getByRole('button', { name: 'Resume', exact: true }).click();
    await expect(subscriptions(page)).toContainText(new RegExp(`Proactive.*next billing date ${day}`));
    await expect(cancel, 'the focus was removed with the button').toBeFocused();
    await expect(history.getByRole('row', { name: /^Resumed: Pro plan/ })).toBeVisible();
    await expectNoAxeFindings(page);
  });
});

test('a user subscribes to Pro, schedules Basic and stays, and upgrades to Enterprise; another tab is notified', async ({
  page,
  context,
}) => {
  const pro = planOf(page, 'Pro');
  await openSignedIn(page, '/plans', 'goes-up@souk.test');
  const other = await context.newPage();
  await other.goto('/plans');
  await expect(planOf(other, 'Pro').getByRole('button', { name: 'Subscribe to Pro', exact: true })).toBeVisible();
  await subscribeTo(page, 'Pro');
  await payAndReturn(page);
  await expect(planOf(other, 'Pro').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  await page.goto('/plans');
  const { promise: priced, resolve: price } = Promise.withResolvers<void>();
  await page.route('**/api/billing/subscriptions/*/change', async (route) => {
    await priced;
    await route.continue();
  });
  await planOf(page, 'Basic').getByRole('button', { name: 'Downgrade to Basic', exact: true }).click();
  const change = question(page).getByRole('button', { name: 'Change plan', exact: true });
  await expect(change, 'nothing is accepted before its price is shown').toBeDisabled();
  price();
  await change.click();
  await expect(pro).toContainText(new RegExp(`Changes to Basic on ${day}\\.`));
  await expect(planOf(other, 'Pro')).toContainText('Changes to Basic on');
  await other.close();
  await expect(pro.getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  await expect(planOf(page, 'Basic').getByRole('button', { name: /^Starts / })).toBeDisabled();
  await expect(planOf(page, 'Enterprise')).toContainText('You chose Basic for the next period. Keep Pro first.');
  await expectNoAxeFindings(page);
  await pro.getByRole('button', { name: 'Keep Pro', exact: true }).click();
  await expect(question(page)).toContainText('Due now$0');
  await question(page).getByRole('button', { name: 'Keep Pro', exact: true }).click();
  await expect(pro).not.toContainText('Changes to');

  await planOf(page, 'Enterprise').getByRole('button', { name: 'Upgrade to Enterprise', exact: true }).click();
  await question(page)
    .getByRole('button', { name: /^Pay \$(80|79\.\d\d)$/ })
    .click();
  await expect(planOf(page, 'Enterprise').getByRole('button', { name: 'Current plan', exact: true })).toBeDisabled();
  await expect(pro.getByRole('button', { name: 'Downgrade to Pro', exact: true })).toBeVisible();
  await page.goto('/dashboard?tab=billing');
  await expect(subscriptions(page)).toContainText(/Enterpriseactive/);
  await expect(page.getByRole('region', { name: 'Your Access Tiers', exact: true })).toContainText('T3Enterprise');
});
