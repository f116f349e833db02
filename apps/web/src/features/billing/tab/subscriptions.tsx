import type { OwnedStatus, SubscriptionAnswer } from '@souk/contract/billing.ts';
import { useQuery } from '@tanstack/react-query';
import Layers from 'lucide-react/icons/layers';
import { useState } from 'react';
import { formatDay } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { preloadDialog } from '#ui/dialog.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { SectionHeading } from '#ui/section-heading.tsx';
import { StatusBadge, type StatusTone } from '#ui/status-badge.tsx';
import { sells } from '#web/config.ts';
import { billingApi } from '../billing-api.ts';
import { CancelSubscriptionDialog } from '../cancel/cancel-subscription-dialog.tsx';
import { ChangeCard } from './change-card.tsx';
import { ResumeButton } from '../cancel/resume-button.tsx';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { offersQuery } from '../queries.ts';

const tones: Record<OwnedStatus, StatusTone> = { active: 'good', canceled: 'idle', past_due: 'bad', unpaid: 'bad' };
const statusTexts: Record<OwnedStatus, string> = {
  active: 'active',
  canceled: 'canceled',
  past_due: 'payment failed',
  unpaid: 'not paid',
};

/** The plans that the person has, each with what they can do with it. */
export function Subscriptions({ userId, owned }: { userId: string; owned: SubscriptionAnswer['subscription'] }) {
  const { subscriptions, rentals } = owned;
  const paysMonthly = [...subscriptions, ...rentals].some(({ source }) => source === 'payment');
  const [ending, setEnding] = useState<OwnSubscription>();
  return (
    <section aria-labelledby="subscriptions-heading" className="flex flex-col gap-4">
      <SectionHeading
        id="subscriptions-heading"
        title="Active System Subscriptions"
        actions={sells && paysMonthly && <ChangeCard />}
      />
      {subscriptions.length === 0 ? (
        <EmptyState
          icon={<Layers aria-hidden />}
          title="No plan yet"
          text={
            sells
              ? "You're on the Free plan. Free services work without a subscription."
              : 'Free services work without one. Your administrator may give you one.'
          }
          actions={sells && <LinkButton to="/plans">View plans</LinkButton>}
        />
      ) : (
        <Card padding="none">
          <ul aria-label="Subscriptions" className="divide-y divide-line">
            {subscriptions.map((subscription) => (
              <li key={subscription.id} className="flex flex-wrap items-center gap-x-6 gap-y-3 px-4 py-4 sm:px-5">
                <div className="min-w-0 flex-1 basis-60">
                  <div className="flex flex-wrap items-center gap-2">
                    <h3 className="font-medium">{subscription.planName}</h3>
                    <StatusBadge status={statusTexts[subscription.status]} tone={tones[subscription.status]} />
                  </div>
                  <p className="mt-0.5 text-quiet">
                    <When subscription={subscription} />
                  </p>
                </div>
                <Actions userId={userId} subscription={subscription} onCancel={() => setEnding(subscription)} />
              </li>
            ))}
          </ul>
        </Card>
      )}
      <CancelSubscriptionDialog userId={userId} subscription={ending} onClose={() => setEnding(undefined)} />
    </section>
  );
}

/** The next billing date, or what comes in its place. */
function When({ subscription }: { subscription: OwnSubscription }) {
  const { status, currentPeriodEnd, nextPlanId, source } = subscription;
  const { data } = useQuery({ ...offersQuery, enabled: nextPlanId !== null });
  const nextName = data?.plans.find(({ planId }) => planId === nextPlanId)?.name ?? nextPlanId;
  if (source === 'administrator') {
    return <>Given by your administrator{currentPeriodEnd !== null && `, until ${formatDay(currentPeriodEnd)}`}</>;
  }
  if (currentPeriodEnd === null) return 'Subscription';
  const day = formatDay(currentPeriodEnd);
  if (status === 'canceled') return `Subscription · ends at the end of the billing period, on ${day}`;
  if (nextPlanId !== null) return `Subscription · changes to ${nextName} on ${day}`;
  if (status === 'unpaid') return 'Subscription · not paid, access has ended';
  if (status === 'past_due') return 'Subscription · the last payment failed';
  // the payment provider has not told of it yet
  if (Date.parse(currentPeriodEnd) <= Date.now()) return 'Subscription · renewal in progress';
  return `Subscription · next billing date ${day}`;
}

function Actions({
  userId,
  subscription,
  onCancel,
}: {
  userId: string;
  subscription: OwnSubscription;
  onCancel: () => void;
}) {
  const { id, planName, status, source } = subscription;
  if (source === 'administrator') return null;
  if (status === 'canceled') {
    const resume = () => billingApi.resumeSubscription({ params: { id } });
    return <ResumeButton userId={userId} name={planName} resume={resume} />;
  }
  return (
    <span className="flex flex-wrap gap-2">
      {sells && status === 'active' && (
        <LinkButton size="small" to="/plans">
          Change plan
        </LinkButton>
      )}
      <Button size="small" onPointerEnter={preloadDialog} onClick={onCancel}>
        {status === 'active' ? 'Cancel' : 'End now'}
        <span className="sr-only"> {planName}</span>
      </Button>
    </span>
  );
}
