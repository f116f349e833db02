import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { formatDay } from '#ui/text/amount.ts';
import { Notice } from '#ui/state/notice.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { config } from '#web/config.ts';

/** Says which rented servers were removed from the shop, when their rentals end, and what the user can do. */
export function NotOffered({ owned }: { owned: SubscriptionAnswer['subscription'] }) {
  return owned.rentals
    .filter(({ isOffered }) => !isOffered)
    .map(({ id, name, endDate }) => (
      <Notice key={id}>
        <strong className="font-medium">{name} is no longer offered,</strong> and its tools no longer work. Your rental
        {endDate !== null && ` ends on ${formatDay(endDate)} and`} is not renewed. If the service comes back before
        then, you can use it again, and resume the rental.
        {config.legal.includes('refunds') && (
          <>
            {' '}
            <TextLink to="/refunds">Refunds</TextLink> says what you can ask for.
          </>
        )}
      </Notice>
    ));
}
