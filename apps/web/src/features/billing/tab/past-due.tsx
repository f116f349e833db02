import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { formatMoney } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { listed } from '#web/texts/listed.ts';
import { openPaymentQuery } from '../queries.ts';

type PastDueProps = { userId: string; owned: SubscriptionAnswer['subscription'] };

/**
 * Says which renewals failed, and links to where each can be paid. Access lasts while the provider retries the payment,
 * and ends when it stops.
 */
export function PastDue({ userId, owned }: PastDueProps) {
  const failed = [
    ...owned.subscriptions.map(({ id, planName: name, status }) => ({ id, name, status })),
    ...owned.rentals,
  ];
  return (['past_due', 'unpaid'] as const).map((status) => (
    <Failed key={status} userId={userId} status={status} things={failed.filter((one) => one.status === status)} />
  ));
}

const consequences = {
  past_due:
    'You keep access while the payment is retried. If it keeps failing, access ends. You can end it at any time, and nothing more is charged.',
  unpaid: 'Access has ended. Pay it to continue, or end it and start again.',
} as const;

type Thing = { id: string; name: string };
type FailedProps = { userId: string; status: keyof typeof consequences; things: readonly Thing[] };

function Failed({ userId, status, things }: FailedProps) {
  if (things.length === 0) return null;
  return (
    <Notice tone="bad">
      <strong className="font-medium">The last payment for {listed(things.map(({ name }) => name))} failed.</strong>{' '}
      {consequences[status]}
      {things.map(({ id, name }) => (
        <PayNow key={id} userId={userId} id={id} name={name} />
      ))}
    </Notice>
  );
}

/** Links to the open invoice, which can be paid with another card. Empty until the invoice is loaded. */
export function PayNow({ userId, id, name }: { userId: string; id: string; name: string }) {
  const { data } = useQuery(openPaymentQuery(userId, id));
  if (!data) return null;
  return (
    <TextAnchor href={data.paymentUrl} newTab className="mt-1 block w-fit">
      Pay {formatMoney(data.amountDue, data.currency)} for {name}
    </TextAnchor>
  );
}
