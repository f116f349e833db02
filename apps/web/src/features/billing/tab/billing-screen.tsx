import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { Card, CardList } from '#ui/card.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { Stat } from '#ui/picture/stat.tsx';
import { TierBadge } from '#ui/state/tier-badge.tsx';
import { sells } from '#web/config.ts';
import { formatMoney } from '#ui/text/amount.ts';
import { BillingHistory } from '../history/billing-history.tsx';
import { rentalsEndingInPlan, rentalsPaidTwice } from '../overlap/rentals-paid-twice.ts';
import { noSubscription, subscriptionQuery } from '../queries.ts';
import { tierDescriptions } from '../tier-descriptions.ts';
import { Credits } from './credits.tsx';
import { NotOffered } from './not-offered.tsx';
import { PaidTwice } from './paid-twice.tsx';
import { PastDue } from './past-due.tsx';
import { PaymentMethods } from './payment-methods.tsx';
import { PendingUpgrade } from './pending-upgrade.tsx';
import { PriceChange } from './price-changes.tsx';
import { Rentals } from './rentals.tsx';
import { Subscriptions } from './subscriptions.tsx';
import { Trials } from './trials.tsx';
import { UpcomingCharges } from './upcoming-charges.tsx';

export function BillingScreen({ userId }: { userId: string }) {
  const { data, isPending, isError } = useQuery(subscriptionQuery(userId));
  if (isPending) return <ListSkeleton label="Loading your billing…" isScreen />;
  // cached data stays if it cannot be refetched
  const shown = data ?? noSubscription;
  return (
    <div className="flex flex-col gap-10">
      {(isError || hasNotices(shown)) && (
        <div className="flex flex-col gap-3">
          {isError && <Notice tone="bad">Unable to load billing information</Notice>}
          <ProviderBalance balance={shown.balance} />
          <PastDue userId={userId} owned={shown.subscription} />
          <NotOffered owned={shown.subscription} />
          <PaidTwice userId={userId} owned={shown.subscription} />
          {shown.subscription.subscriptions.map((one) => (
            <PriceChange key={one.id} subscription={one} />
          ))}
          {shown.subscription.subscriptions.map((one) => (
            <PendingUpgrade key={one.id} userId={userId} subscription={one} />
          ))}
        </div>
      )}
      {sells ? (
        <Credits userId={userId} credits={shown.credits} />
      ) : (
        <Notice>
          Nothing is sold here: every call is free, and your administrator decides which services you can use.
        </Notice>
      )}
      <TitledSection id="tiers-heading" title="Your Access Tiers">
        <CardList>
          {shown.activeTiers.map((tier) => (
            <li key={tier} className="flex flex-wrap items-center gap-x-4 gap-y-1 px-4 py-3 sm:px-5">
              <div>
                <TierBadge tier={tier} />
              </div>
              <span className="text-quiet">{tierDescriptions[tier]}</span>
            </li>
          ))}
        </CardList>
      </TitledSection>
      <Subscriptions userId={userId} owned={shown} />
      <Rentals userId={userId} rentals={shown.subscription.rentals} />
      <Trials trials={shown.subscription.trials} />
      {sells && <UpcomingCharges userId={userId} owned={shown.subscription} />}
      {sells && <PaymentMethods userId={userId} owned={shown.subscription} />}
      <Summary summary={shown.summary} />
      <BillingHistory userId={userId} />
    </div>
  );
}

/** Returns whether one of the notices above the cards is shown. */
function hasNotices({ subscription, balance }: SubscriptionAnswer): boolean {
  const { subscriptions, rentals } = subscription;
  return (
    balance !== undefined ||
    rentalsPaidTwice(subscription).length + rentalsEndingInPlan(subscription).length > 0 ||
    [...subscriptions, ...rentals].some(({ status }) => status === 'past_due' || status === 'unpaid') ||
    rentals.some(({ isOffered }) => !isOffered) ||
    subscriptions.some(({ pendingPlanId, priceChange }) => pendingPlanId !== null || priceChange !== null)
  );
}

function ProviderBalance({ balance }: Pick<SubscriptionAnswer, 'balance'>) {
  if (!balance) return null;
  const amount = formatMoney(Math.abs(balance.amountCents), balance.currency);
  return (
    <Notice>
      {balance.amountCents > 0 ? `${amount} credit on your next invoice` : `${amount} added to your next invoice`}
    </Notice>
  );
}

function Summary({ summary }: Pick<SubscriptionAnswer, 'summary'>) {
  return (
    <TitledSection id="summary-heading" title="Subscription Summary">
      <Card padding="large">
        <dl className="grid grid-cols-2 gap-6 sm:grid-cols-4">
          <Stat label="Subscriptions" value={summary.totalSubscriptions} />
          <Stat label="Purchases" value={summary.totalPurchases} />
          <Stat label="Rentals" value={summary.totalRentals} />
          <Stat label="Trials" value={summary.totalTrials} />
        </dl>
      </Card>
    </TitledSection>
  );
}
