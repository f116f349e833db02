import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { formatMoney } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';

/** Says what the payment provider keeps for the person's next invoice. */
export function ProviderBalance({ balance }: Pick<SubscriptionAnswer, 'balance'>) {
  if (!balance) return null;
  const amount = formatMoney(Math.abs(balance.amountCents), balance.currency);
  return (
    <Notice>
      {balance.amountCents > 0 ? `${amount} credit on your next invoice` : `${amount} added to your next invoice`}
    </Notice>
  );
}
