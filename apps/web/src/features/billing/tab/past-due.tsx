import type { SubscriptionAnswer } from '@souk/contract/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { formatMoney } from '#ui/amount.ts';
import { Notice } from '#ui/notice.tsx';
import { TextAnchor } from '#ui/text-link.tsx';
import { openPaymentQuery } from '../queries.ts';

type PastDueProps = { userId: string; owned: SubscriptionAnswer['subscription'] };

/** Says which renewals failed, and where each is paid. Access stays while the provider tries again. */
export function PastDue({ userId, owned }: PastDueProps) {
  const unpaid = [
    ...owned.subscriptions.map(({ id, planName: name, status }) => ({ id, name, status })),
    ...owned.rentals,
  ].filter(({ status }) => status === 'past_due');
  if (unpaid.length === 0) return null;
  return (
    <Notice tone="bad">
      <strong className="font-medium">
        The last payment for {unpaid.map(({ name }) => name).join(' and ')} failed.
      </strong>{' '}
      You keep access while the payment is tried again. If it keeps failing, access ends.
      {unpaid.map(({ id, name }) => (
        <PayNow key={id} userId={userId} id={id} name={name} />
      ))}
    </Notice>
  );
}

/** Leads to the open invoice, which takes another card. Nothing is shown until the provider has named it. */
export function PayNow({ userId, id, name }: { userId: string; id: string; name: string }) {
  const { data } = useQuery(openPaymentQuery(userId, id));
  if (!data) return null;
  return (
    <TextAnchor href={data.paymentUrl} newTab className="mt-1 block w-fit">
      Pay {formatMoney(data.amountDue, data.currency)} for {name}
    </TextAnchor>
  );
}
