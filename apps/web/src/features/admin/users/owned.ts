import type { UserBilling } from '@souk/contract/admin/billing.ts';
import type { AdminUser } from '@souk/contract/admin/users.ts';
import { formatMoment } from '#ui/text/amount.ts';
import { chargeText } from '#web/texts/charge-text.ts';

/** The user in the billing answer (spec part 2, section 3). */
export type BillingUser = Pick<AdminUser, 'id' | 'email' | 'displayName' | 'createdAt' | 'isActive' | 'role'>;

export type OwnedThing = Pick<
  UserBilling['rentals'][number],
  'id' | 'mcpId' | 'status' | 'source' | 'refund' | 'isDisputed' | 'charge' | 'features'
> & {
  kind: 'subscription' | 'rental' | 'purchase' | 'trial';
  name: string;
  /** Period of a rental: daily, weekly or monthly. */
  every: string | undefined;
  startsAt: string;
  /** null if it has no end. */
  endsAt: string | null;
};

type Server = UserBilling['rentals'][number];

/** Returns what a user owns, in the order of the specification's counts. */
export function ownedOf(billing: UserBilling): Record<OwnedThing['kind'], OwnedThing[]> {
  const servers = (kind: 'rental' | 'purchase' | 'trial', all: readonly Server[]) =>
    all.map((one): OwnedThing => ({
      ...one,
      kind,
      every: kind === 'rental' ? one.type : undefined,
      startsAt: one.startDate,
      endsAt: one.endDate,
    }));
  return {
    subscription: billing.subscriptions.map((one): OwnedThing => ({
      ...one,
      kind: 'subscription',
      name: one.planName,
      every: undefined,
      startsAt: one.currentPeriodStart,
      endsAt: one.currentPeriodEnd,
    })),
    purchase: servers('purchase', billing.purchases),
    rental: servers('rental', billing.rentals),
    trial: servers('trial', billing.trials),
  };
}

/** Returns what ends with its period when the user is deactivated. Purchases stay. */
export const endingOf = (billing: UserBilling): OwnedThing[] => {
  const { subscription, rental, trial } = ownedOf(billing);
  return [...subscription, ...rental, ...trial];
};

/** Returns the current period with its times, which a daily period needs. */
export function periodText({ startsAt, endsAt }: Pick<OwnedThing, 'startsAt' | 'endsAt'>): string {
  return endsAt === null
    ? `Since ${formatMoment(startsAt)}, no end`
    : `${formatMoment(startsAt)} – ${formatMoment(endsAt)}`;
}

/** Returns the next charge or the end; undefined if neither is known. */
export function nextText({ charge, endsAt, status, source }: OwnedThing): string | undefined {
  if (charge) return `Next charge: ${chargeText(charge)} on ${formatMoment(charge.at)}`;
  if (status === 'past_due') return 'The last charge failed and will be retried';
  if (endsAt === null) return undefined;
  if (source !== 'payment') return `Ends on ${formatMoment(endsAt)}`;
  return status === 'canceled' ? `Ends on ${formatMoment(endsAt)}, with no further charge` : undefined;
}
