import type { Plan } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { noSubscription, subscriptionQuery } from '../queries.ts';
import { upgradeOverlapTexts } from './upgrade-overlap-texts.ts';

/** Says, above the link for paying an upgrade, what happens to the rentals that the higher plan includes. */
export function UpgradeOverlap({ userId, from, to }: { userId: string; from: OwnSubscription; to: Plan }) {
  const { data } = useQuery(subscriptionQuery(userId));
  const { rentals } = (data ?? noSubscription).subscription;
  return upgradeOverlapTexts(rentals, from, to).map((text) => (
    <p key={text} className="mt-1">
      {text}
    </p>
  ));
}
