import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { counted, formatCount, formatDay, formatMonthly } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { CardList } from '#ui/card.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { config } from '#web/config.ts';
import { subscriptionQuery } from '../queries.ts';
import type { OwnRental } from '../overlap/included-rentals.ts';

type Loss = { key: string; name: string; text: string };
/** Losses listed by name. Further ones are only counted, which keeps the dialog's question in view. */
const namedLosses = 8;

/** Lists what the user has paid for or was given, and loses when they delete their account. */
export function LostWithAccount({ userId }: { userId: string }) {
  const { data, isPending, isFetching, refetch } = useQuery({ ...subscriptionQuery(userId), staleTime: 0 });
  if (isPending) return <ListSkeleton label="Loading what ends with your account…" rows={2} />;
  if (!data) {
    return (
      <Notice tone="bad">
        <span className="flex flex-wrap items-center justify-between gap-3">
          We couldn't load what ends with your account.
          <Button size="small" loading={isFetching} onClick={() => void refetch()}>
            Try again
          </Button>
        </span>
      </Notice>
    );
  }
  const losses = listLosses(data);
  if (losses.length === 0)
    return <p className="text-quiet">You have no plan, no rental, no purchase and no credits.</p>;
  const more = losses.length - namedLosses;
  return (
    <div className="flex flex-col gap-3">
      <p className="font-medium">You lose these now, without a refund:</p>
      <CardList aria-label="What ends with your account">
        {losses.slice(0, namedLosses).map(({ key, name, text }) => (
          <li key={key} className="flex flex-col px-4 py-2.5">
            <span dir="auto" className="font-medium wrap-anywhere">
              {name}
            </span>
            <span className="text-quiet">{text}</span>
          </li>
        ))}
        {more > 0 && <li className="px-4 py-2.5 text-quiet">and {formatCount(more)} more</li>}
      </CardList>
      {config.legal.includes('refunds') && (
        <p className="text-quiet">
          Nothing is refunded automatically. <TextLink to="/refunds">Refunds</TextLink> says what you can ask for.
        </p>
      )}
      {isRenewing(data) && <p className="text-quiet">Every renewal is canceled: you are not charged again.</p>}
    </div>
  );
}

/** Credits come first, since the user can still spend them. */
function listLosses({ subscription, credits }: SubscriptionAnswer): Loss[] {
  const { subscriptions, rentals, purchases, trials } = subscription;
  return [
    ...(credits.balance > 0
      ? [
          {
            key: 'credits',
            name: counted(credits.balance, 'credit'),
            text: 'not spent yet',
          },
        ]
      : []),
    ...subscriptions.map((plan) => ({
      key: plan.id,
      name: `${plan.planName} plan`,
      text: [
        // if another plan was chosen for the next period, `renewal` is its price
        plan.nextPlanId === null && plan.renewal && formatMonthly(plan.renewal.amount, plan.renewal.currency),
        ending(plan, plan.currentPeriodEnd),
      ]
        .filter(Boolean)
        .join(', '),
    })),
    ...rentals.map((rental) => ({
      key: rental.id,
      name: rental.name,
      text: `Rental, ${ending(rental, rental.endDate)}`,
    })),
    ...purchases.map(({ id, name, expiresAt }) => ({
      key: id,
      name,
      text: expiresAt === undefined ? 'Yours for good' : `Yours until ${formatDay(expiresAt)}`,
    })),
    ...trials.map(({ id, name, expiresAt }) => ({ key: id, name, text: `Trial until ${formatDay(expiresAt)}` })),
  ];
}

function ending({ status, source }: Pick<OwnRental, 'status' | 'source'>, end: string | null): string {
  if (status === 'unpaid' || status === 'past_due') return 'the last payment failed';
  const how = source === 'administrator' ? 'given by your administrator' : 'paid';
  return end === null ? how : `${how} until ${formatDay(end)}`;
}

const isRenewing = ({ subscription: { subscriptions, rentals } }: SubscriptionAnswer) =>
  [...subscriptions, ...rentals].some(({ source, status }) => source === 'payment' && status !== 'canceled');
