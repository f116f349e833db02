import type { SubscriptionAnswer } from '@souk/contract/billing.ts';
import { formatDay } from '#ui/amount.ts';
import { Notice } from '#ui/notice.tsx';

/** Says which rented servers were taken out of the shop, and until when they are paid. */
export function NotOffered({ owned }: { owned: SubscriptionAnswer['subscription'] }) {
  return owned.rentals
    .filter(({ isOffered }) => !isOffered)
    .map(({ id, name, endDate }) => (
      <Notice key={id}>
        <strong className="font-medium">{name} is no longer offered,</strong> and its tools are gone. Your rental
        {endDate !== null && ` ends on ${formatDay(endDate)} and`} is not renewed.
      </Notice>
    ));
}
