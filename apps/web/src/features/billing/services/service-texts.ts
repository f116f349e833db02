import type { McpService, NextCharge, UserAccess } from '@souk/contract/billing/billing.ts';
import { formatDay, formatMonthly } from '#ui/text/amount.ts';
import { chargeText } from '#web/texts/charge-text.ts';

/**
 * Names the user's access to a service (spec part 2, section 2, "Status texts"), with the sold name of a plan. A rental
 * that renews does not expire: `renewalText` says when it is paid again.
 */
export function statusText({
  accessType,
  expiresAt,
  features,
  renews,
  plan,
}: Pick<UserAccess, 'accessType' | 'expiresAt' | 'features' | 'renews' | 'plan'>): string {
  const planId = features.map((feature) => /^System subscription \((.+)\)$/.exec(feature)?.[1]).find(Boolean);
  if (planId !== undefined) return `Subscribed ${plan?.planId === planId ? plan.name : planId}`;
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
      return expiresAt === null || renews ? 'Rented - active' : `Rented - expires ${formatDay(expiresAt)}`;
    case 'subscription':
      return 'Subscription Access';
    default:
      return 'Unknown Status';
  }
}

/**
 * Says when and for how much a rental renews, next to its status. Undefined if it ends, or if the renewal is overdue.
 * @param charge null: not fetched from the payment provider yet
 */
export function renewalText(
  { accessType, expiresAt, renews }: Pick<UserAccess, 'accessType' | 'expiresAt' | 'renews'>,
  nowMs: number,
  charge: NextCharge | null,
): string | undefined {
  if (accessType !== 'rental' || !renews || expiresAt === null || Date.parse(expiresAt) <= nowMs) return undefined;
  const price = charge ? ` for ${chargeText(charge)}` : '';
  return `renews ${formatDay(expiresAt)}${price}`;
}

/** Explains canceled access. The status already says when a rental ends. */
export function cancelledText({ accessType, expiresAt }: Pick<UserAccess, 'accessType' | 'expiresAt'>): string {
  return accessType === 'rental' && expiresAt !== null
    ? 'Canceled. You can use and resume it until then.'
    : 'Ends at the end of the billing period.';
}

const runningTexts: Partial<Record<UserAccess['accessType'], string>> = {
  rental: 'Your rental continues; you can cancel it.',
  subscription: 'Your plan continues.',
  trial: 'Your trial continues.',
};

export function whileDownText({ accessType, isCancelled }: Pick<UserAccess, 'accessType' | 'isCancelled'>): string {
  const running = accessType === 'rental' && isCancelled ? 'Your rental ends as planned.' : runningTexts[accessType];
  return ['Its calls fail and are not charged.', running].filter(Boolean).join(' ');
}

/** The price of a service for a user without access (spec part 2, section 2, "Price text"). */
export function priceText({ billing }: Pick<McpService, 'billing'>): string {
  if (!billing || billing.tier === 'T0') return 'FREE';
  if (billing.rental) return formatMonthly(billing.rental.price, billing.rental.currency);
  return 'Requires system subscription';
}

const paidTypes: readonly string[] = ['purchase', 'rental', 'subscription'];

const isPaid = ({ userAccess: { accessType, plan } }: McpService) =>
  // a trial or rental takes precedence over a plan that also includes the service
  paidTypes.includes(accessType) || plan !== null;

/**
 * Counts services for the three counters and the line above them, and those that the counters leave out: services on
 * trial only, services that need an account, and services that are down.
 * @param missingAccounts services whose account is not connected. Their calls fail, so they are not active; nor are
 *   services that are down
 */
export function countServices(services: readonly McpService[], missingAccounts: { has(serverId: string): boolean }) {
  const on = services.filter(({ enabled }) => enabled);
  const waiting = on.filter(({ id }) => missingAccounts.has(id)).length;
  const failing = on.filter(({ id, down }) => down && !missingAccounts.has(id)).length;
  return {
    active: on.length - waiting - failing,
    waiting,
    failing,
    free: services.filter(({ userAccess }) => userAccess.accessType === 'free').length,
    paid: services.filter(isPaid).length,
    tried: services.filter((service) => service.userAccess.accessType === 'trial' && !isPaid(service)).length,
  };
}

/** Says that the user's plan also includes a service that they rent, own or try. */
export function alsoInPlanText({ accessType, plan }: Pick<UserAccess, 'accessType' | 'plan'>): string | undefined {
  if (!plan || accessType === 'subscription') return undefined;
  return `Also ${inPlanText(plan)}.`;
}

export function inPlanText({ name, since, includedUntil }: NonNullable<UserAccess['plan']>): string {
  const until = includedUntil === null ? '' : `, until ${formatDay(includedUntil)}`;
  return `included in your ${name} plan since ${formatDay(since)}${until}`;
}
