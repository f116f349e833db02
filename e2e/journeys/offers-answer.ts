import {
  listCreditPackages,
  listPlans,
  getSubscription,
  type SubscriptionAnswer,
} from '@souk/contract/billing/billing.ts';
import { getUserProfile, type UserProfile } from '@souk/contract/identity.ts';
import type { CreditPackage, Plan } from '@souk/contract/billing/billing.ts';
import type { Page } from '@playwright/test';
import { routeNow } from './route-now.ts';

export const plansPath = `**${listPlans.path}`;
export const packagesPath = `**${listCreditPackages.path}`;
export const checkoutPath = '**/api/billing/checkout';
export const subscriptionPath = `**${getSubscription.path}`;
export const profilePath = `**${getUserProfile.path}`;

/** Changes the broker's plans and packages that the page receives. */
export async function changeOffers(
  page: Page,
  change: { plans?: (plans: Plan[]) => Plan[]; packages?: (packages: CreditPackage[]) => CreditPackage[] },
): Promise<void> {
  await routeNow(page, plansPath, async (route) => {
    const response = await route.fetch();
    const answer = listPlans.answer.parse(await response.json());
    await route.fulfill({ response, json: { ...answer, plans: change.plans?.(answer.plans) ?? answer.plans } });
  });
  await routeNow(page, packagesPath, async (route) => {
    const response = await route.fetch();
    const answer = listCreditPackages.answer.parse(await response.json());
    const packages = change.packages?.(answer.packages) ?? answer.packages;
    await route.fulfill({ response, json: { ...answer, packages } });
  });
}

export async function changeProfile(page: Page, change: Partial<UserProfile>): Promise<void> {
  await routeNow(page, profilePath, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: { ...(await response.json()), ...change } });
  });
}

/** Changes the plan, rentals and credits that the page receives for the user. */
export async function changeOwned(
  page: Page,
  change: (answer: SubscriptionAnswer) => SubscriptionAnswer,
): Promise<void> {
  await routeNow(page, subscriptionPath, async (route) => {
    const response = await route.fetch();
    await route.fulfill({ response, json: change(getSubscription.answer.parse(await response.json())) });
  });
}
