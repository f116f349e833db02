import type { Plan } from '@souk/contract/billing/billing.ts';
import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import { listed } from '#web/texts/listed.ts';
import { includedRentals, type OwnRental } from '../overlap/included-rentals.ts';

export type Overlap = {
  /** Undefined if it could not be fetched, or is no longer sold. */
  plan: Pick<Plan, 'name' | 'tier'> | undefined;
  rentals: readonly OwnRental[];
};

/** Says why a plan's payment page was closed, or its payment refunded: the plan includes a service rented meanwhile. */
export function overlapChangedText({ paymentStatus }: PaymentSession, { plan, rentals }: Overlap): string {
  const names = plan ? includedRentals(rentals, plan.tier).map(({ name }) => name) : [];
  const reason =
    plan && names.length > 0
      ? `You rent ${listed(names)} now, which ${plan.name} includes`
      : `A service that you rent is now included in ${plan?.name ?? 'this plan'}`;
  return paymentStatus === 'refunded'
    ? `${reason}, and you had not been asked about it, so this payment was refunded.`
    : `${reason}, so this payment page was closed. You were not charged.`;
}
