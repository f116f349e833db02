import type { McpService, UserAccess } from '@souk/contract/billing.ts';
import { formatDay, formatMonthly } from '#ui/amount.ts';

/**
 * What a person's access to a service is called (spec part 2, section 2, "Status texts"). A rental whose period is over and
 * that they may still use is about to be renewed: it does not expire on a day that has passed.
 */
export function statusText(
  { accessType, expiresAt, features, isCancelled }: Omit<UserAccess, 'hasAccess' | 'isTrialPeriod'>,
  nowMs: number,
): string {
  const plan = features.map((feature) => /^System subscription \((.+)\)$/.exec(feature)?.[1]).find(Boolean);
  if (plan !== undefined) return `Subscribed ${plan}`;
  switch (accessType) {
    case 'none':
      return 'Not Owned';
    case 'free':
      return 'Free Access';
    case 'trial':
      return expiresAt === null ? 'Trial - active' : `Trial - expires ${formatDay(expiresAt)}`;
    case 'purchase':
      return 'Purchased';
    case 'rental':
      return expiresAt === null || (!isCancelled && Date.parse(expiresAt) <= nowMs)
        ? 'Rented - active'
        : `Rented - expires ${formatDay(expiresAt)}`;
    case 'subscription':
      return 'Subscription Access';
    default:
      return 'Unknown Status';
  }
}

/** What a service costs a person without access (spec part 2, section 2, "Price text"). */
export function priceText({ billing }: Pick<McpService, 'billing'>): string {
  if (!billing || billing.tier === 'T0') return 'FREE';
  if (billing.rental) return formatMonthly(billing.rental.price, billing.rental.currency);
  return 'Requires system subscription';
}

const paidTypes: readonly string[] = ['purchase', 'rental', 'subscription'];

/** The three counters, and the line above them. */
export function countServices(services: readonly McpService[]) {
  return {
    active: services.filter(({ enabled }) => enabled).length,
    free: services.filter(({ userAccess }) => userAccess.accessType === 'free').length,
    paid: services.filter(({ userAccess }) => paidTypes.includes(userAccess.accessType)).length,
  };
}
