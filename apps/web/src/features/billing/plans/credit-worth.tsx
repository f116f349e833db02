import { creditPriceOf, creditWorthText } from '@souk/contract/billing/credit-worth.ts';
import { useQuery } from '@tanstack/react-query';
import { sells } from '#web/config.ts';
import { offersQuery } from '../queries.ts';

/** The value of a credit. Reserves its line while it loads. */
export function CreditWorth({ className }: { className?: string }) {
  const { data, isPending } = useQuery(offersQuery);
  if (isPending && sells) {
    return (
      <p aria-hidden className={className}>
        {'\u00A0'}
      </p>
    );
  }
  const price = data && creditPriceOf(data.packages);
  return price ? <p className={className}>{creditWorthText(price)}.</p> : null;
}
