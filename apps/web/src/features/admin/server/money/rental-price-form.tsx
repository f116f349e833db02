import { useQuery } from '@tanstack/react-query';
import { counted } from '#ui/text/amount.ts';
import { centsOf } from '../../cents-of.ts';
import { PriceForm } from '../price-form.tsx';
import { figuresQuery, type ServerPartProps } from '../server-queries.ts';
import { partOf } from '../part-of.ts';

const mostCents = 100_000_00;

export function RentalPriceForm({
  rental,
  ...part
}: ServerPartProps & { rental: { price: number; currency: string } | undefined; onClose: () => void }) {
  const { data } = useQuery(figuresQuery(part.userId, part.serverId));
  const currency = rental?.currency ?? data?.month.currency ?? 'USD';
  return (
    <PriceForm
      {...part}
      title="Rental price"
      label={`${currency} a month`}
      initialPrice={rental ? (rental.price / 100).toFixed(2) : ''}
      inputMode="decimal"
      problemOf={(price) => {
        const cents = centsOf(price);
        if (cents === undefined || cents < 1 || cents > mostCents) return 'Enter an amount from 0.01 to 100,000.';
        return cents === rental?.price ? 'This is already the price.' : undefined;
      }}
      effect={effectOf(data?.renters)}
      apply={(manifest, price) => {
        const billing = partOf(manifest, 'billing');
        const changed = { currency, ...partOf(billing, 'rental'), price: centsOf(price) };
        return { ...manifest, billing: { tier: 'T1', ...billing, rental: changed } };
      }}
    />
  );
}

function effectOf(renters: number | undefined): string {
  const from = 'The new price applies to rentals that start after you deploy the new version.';
  if (renters === undefined || renters === 0) return from;
  const kept = counted(renters, 'person rents it and keeps', 'people rent it and keep');
  return `${from} ${kept} their current price, even when the rental renews.`;
}
