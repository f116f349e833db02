import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import type { PaymentMethod } from '@souk/contract/billing/payments.ts';
import { useQuery } from '@tanstack/react-query';
import CreditCard from 'lucide-react/icons/credit-card';
import { Facts } from '#ui/text/facts.tsx';
import { Button } from '#ui/button.tsx';
import { CardList } from '#ui/card.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { expiryText, isExpired, paymentMethodText } from '../payment-method-text.ts';
import { paymentMethodsQuery } from '../queries.ts';
import { ChangeCard } from './change-card.tsx';

type Paying = { method: PaymentMethod; pays: string[] };

export function PaymentMethods({ userId, owned }: { userId: string; owned: SubscriptionAnswer['subscription'] }) {
  const { subscriptions, rentals } = owned;
  const paid = [...subscriptions, ...rentals].some(({ source }) => source === 'payment');
  if (!paid) return null;
  const names = new Map([
    ...subscriptions.map(({ id, planName }) => [id, `${planName} plan`] as const),
    ...rentals.map(({ id, name }) => [id, name] as const),
  ]);
  const renewing = new Set(
    [...subscriptions, ...rentals].filter(({ status }) => status !== 'canceled').map(({ id }) => id),
  );
  return (
    <TitledSection id="payment-method-heading" title="Payment method" actions={<ChangeCard userId={userId} />}>
      <Methods userId={userId} names={names} renewing={renewing} />
    </TitledSection>
  );
}

type MethodsProps = { userId: string; names: ReadonlyMap<string, string>; renewing: ReadonlySet<string> };

function Methods({ userId, names, renewing }: MethodsProps) {
  const { data, error, isFetching, refetch } = useQuery(paymentMethodsQuery(userId));
  if (!data && error)
    return (
      <Notice
        tone="bad"
        action={
          <Button size="small" loading={isFetching} onClick={() => void refetch()}>
            Retry
          </Button>
        }
      >
        Your payment method can't be shown now: {failureText(error)}
      </Notice>
    );
  if (!data) return <ListSkeleton label="Loading your payment method…" rows={1} />;
  const methods = groupByMethod(data.paymentMethods.filter(({ pays }) => names.has(pays)));
  if (methods.length === 0)
    return <Notice>The payment provider has no card for your renewals. Choose one with "Change card".</Notice>;
  return (
    <CardList aria-label="Payment methods">
      {methods.map(({ method, pays }) => (
        <li key={pays[0]} className="flex items-start gap-3 px-4 py-4 sm:px-5">
          <CreditCard aria-hidden size={18} className="mt-0.5 shrink-0 text-quiet" />
          <div className="min-w-0">
            <p className="flex flex-wrap items-center gap-2">
              <span className="font-medium">{paymentMethodText(method)}</span>
              {isExpired(method, Date.now()) && <StatusBadge status="expired" tone="bad" />}
            </p>
            <Facts className="text-quiet wrap-anywhere">
              {method.expires && `Expires ${expiryText(method.expires)}`}
              {chargesOf(
                pays.filter((id) => renewing.has(id)).map((id) => names.get(id)),
                methods.length === 1,
              )}
            </Facts>
          </div>
        </li>
      ))}
    </CardList>
  );
}

/** @param renewing names of the plans and rentals that renew with the card */
function chargesOf(renewing: readonly (string | undefined)[], isOnly: boolean): string {
  if (renewing.length === 0) return 'Not charged, unless you resume what you canceled';
  return isOnly ? 'Charged for everything that renews' : `Charged for ${renewing.join(', ')}`;
}

/** Groups plans and rentals by card: most users pay several with one card. */
function groupByMethod(paymentMethods: readonly { pays: string; method: PaymentMethod }[]): Paying[] {
  const groups = new Map<string, Paying>();
  for (const { pays, method } of paymentMethods) {
    const key = JSON.stringify(method);
    const group = groups.get(key) ?? { method, pays: [] };
    group.pays.push(pays);
    groups.set(key, group);
  }
  return [...groups.values()];
}
