import Layers from 'lucide-react/icons/layers';
import { useState } from 'react';
import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { Facts } from '#ui/text/facts.tsx';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { sells } from '#web/config.ts';
import { CardList } from '#ui/card.tsx';
import { CancelSubscriptionDialog } from '../cancel/cancel-subscription-dialog.tsx';
import { ResumePlan } from '../cancel/resume-plan.tsx';
import { useNextPlanName } from '../change/use-next-plan-name.ts';
import type { OwnSubscription } from '../plans/plan-action.ts';
import { OwnedRow } from './owned-row.tsx';
import { whenCharged } from './when-charged.ts';
import type { OwnRental } from '../overlap/included-rentals.ts';

export function Subscriptions({ userId, owned }: { userId: string; owned: SubscriptionAnswer }) {
  const { subscriptions } = owned.subscription;
  const [ending, setEnding] = useState<OwnSubscription>();
  return (
    <TitledSection id="subscriptions-heading" title="Active System Subscriptions">
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
        <CardList aria-label="Subscriptions">
          {subscriptions.map((subscription) => (
            <OwnedRow
              key={subscription.id}
              name={subscription.planName}
              status={subscription.status}
              when={<When subscription={subscription} />}
              actions={
                <Actions
                  userId={userId}
                  subscription={subscription}
                  rentals={owned.subscription.rentals}
                  onCancel={() => setEnding(subscription)}
                />
              }
            />
          ))}
        </CardList>
      )}
      <CancelSubscriptionDialog
        userId={userId}
        subscription={ending}
        credits={owned.credits}
        onClose={() => setEnding(undefined)}
      />
    </TitledSection>
  );
}

function When({ subscription }: { subscription: OwnSubscription }) {
  const { nextPlanId, currentPeriodEnd: periodEnd } = subscription;
  const nextName = useNextPlanName(nextPlanId);
  return <Facts>{whenCharged('Subscription', { ...subscription, periodEnd, nextName }, Date.now())}</Facts>;
}

type ActionsProps = {
  userId: string;
  subscription: OwnSubscription;
  rentals: readonly OwnRental[];
  onCancel: () => void;
};

function Actions({ userId, subscription, rentals, onCancel }: ActionsProps) {
  const { planName, status, source } = subscription;
  // if nothing is sold, the user can give up a plan that an administrator gave
  if (source === 'administrator' && sells) return null;
  if (status === 'canceled') return <ResumePlan userId={userId} subscription={subscription} rentals={rentals} />;
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
