import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import { useQuery } from '@tanstack/react-query';
import { myServicesQuery, noSubscription, offersQuery, subscriptionQuery } from '../queries.ts';
import { hadAccessText } from './had-access-text.ts';
import { overlapChangedText } from './overlap-changed-text.ts';
import { closedText, isOwnedAlready } from './watch-payment.ts';

export type Closed = {
  /** Undefined if the page was not closed, or the reason is unknown. */
  text: string | undefined;
  /** The next step: Billing, or the plan that can be chosen again. */
  next: 'billing' | { planId: string; name: string } | undefined;
  isPending: boolean;
};

/** Returns why a payment page was closed or its payment refunded, and what the user has instead. */
export function useClosedText(userId: string | undefined, session: PaymentSession | undefined): Closed {
  const had = session !== undefined && isOwnedAlready(session);
  const isOverlap = session?.reason === 'overlap_changed';
  const isRental = session?.metadata.type === 'rental';
  const enabled = userId !== undefined && (had || isOverlap);
  const services = useQuery({ ...myServicesQuery(userId ?? ''), enabled: enabled && isRental });
  const owned = useQuery({ ...subscriptionQuery(userId ?? ''), enabled: enabled && !isRental });
  const offers = useQuery({ ...offersQuery, enabled: enabled && isOverlap });
  if (isOverlap) {
    const plan = offers.data?.plans.find(({ planId }) => planId === session.planId);
    const { rentals } = (owned.data ?? noSubscription).subscription;
    return {
      text: overlapChangedText(session, { plan, rentals }),
      next: plan,
      isPending: owned.isLoading || offers.isLoading,
    };
  }
  if (!session || !had) {
    const next = session?.reason === 'paid_twice' ? 'billing' : undefined;
    return { text: session && closedText(session), next, isPending: false };
  }
  const own = { services: services.data?.services, subscriptions: owned.data?.subscription.subscriptions };
  return {
    text: hadAccessText(session.metadata, own),
    next: 'billing',
    isPending: services.isLoading || owned.isLoading,
  };
}
