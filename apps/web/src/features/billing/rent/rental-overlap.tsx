import type { UserAccess } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { Notice } from '#ui/state/notice.tsx';
import { serverQuery } from '#web/loading/server-query.ts';
import { rentalOverlapTexts } from '../overlap/rental-overlap-texts.ts';
import { noSubscription, offersQuery, subscriptionQuery } from '../queries.ts';

export type RentalOverlapProps = {
  userId: string;
  service: { id: string; name: string };
  access: UserAccess;
};

/** Says, before the user pays for a rental, which of their plans includes the service. */
export function RentalOverlap({ userId, service: { id, name }, access }: RentalOverlapProps) {
  const { data: owned } = useQuery(subscriptionQuery(userId));
  const { data: offers } = useQuery(offersQuery);
  const { data: tier } = useQuery({ ...serverQuery(id), select: ({ server }) => server.billing?.tier ?? null });
  const texts = rentalOverlapTexts({
    service: { name, tier: tier ?? null },
    access,
    subscriptions: (owned ?? noSubscription).subscription.subscriptions,
    plans: offers?.plans ?? [],
  });
  return texts.map((text) => (
    <div key={text} className="mb-5">
      <Notice>{text}</Notice>
    </div>
  ));
}
