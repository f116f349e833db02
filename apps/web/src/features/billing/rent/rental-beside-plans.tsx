import type { UserAccess } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { Notice } from '#ui/state/notice.tsx';
import { serverQuery } from '#web/loading/server-query.ts';
import { plansBesideRental } from '../overlap/plans-beside-rental.ts';
import { noSubscription, offersQuery, subscriptionQuery } from '../queries.ts';

export type RentalBesidePlansProps = {
  userId: string;
  service: { id: string; name: string };
  access: UserAccess;
};

/** Says, before a rental is paid, which of the user's plans include the service. */
export function RentalBesidePlans({ userId, service: { id, name }, access }: RentalBesidePlansProps) {
  const { data: owned } = useQuery(subscriptionQuery(userId));
  const { data: offers } = useQuery(offersQuery);
  const { data: tier } = useQuery({ ...serverQuery(id), select: ({ server }) => server.billing?.tier ?? null });
  const texts = plansBesideRental({
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
