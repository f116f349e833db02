import { useQuery } from '@tanstack/react-query';
import { Notice } from '#ui/state/notice.tsx';
import { endingText, twiceText } from '../overlap/overlap-texts.ts';
import { rentalsEndingInPlan, rentalsPaidTwice } from '../overlap/rentals-paid-twice.ts';
import { noSubscription, subscriptionQuery } from '../queries.ts';

/** Says, after the user paid for a plan, what happens to the rentals that it includes. */
export function PlanOverlap({ userId }: { userId: string }) {
  // the provider may end a rental a moment after the plan was paid
  const { data } = useQuery({ ...subscriptionQuery(userId), staleTime: 0, refetchInterval: 1_000 });
  const { subscription } = data ?? noSubscription;
  const texts = [
    ...rentalsPaidTwice(subscription).map(twiceText),
    ...rentalsEndingInPlan(subscription).map(endingText),
  ];
  if (texts.length === 0) return null;
  return (
    <div className="flex w-full flex-col gap-3 text-left">
      {texts.map((text) => (
        <Notice key={text}>{text}</Notice>
      ))}
    </div>
  );
}
