import type { getRentalOptions } from '@souk/contract/billing.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import { formatCount, formatMoney } from '#ui/amount.ts';
import { config } from '#web/config.ts';
import { serverQuery } from '#web/server-query.ts';

export type RentalOfferProps = {
  service: { id: string; name: string; features: readonly string[] };
  rental: NonNullable<AnswerOutput<typeof getRentalOptions>['rental']>;
  creditsAvailable: number;
};

/** What a rental costs, what it brings, and what calls cost on top. */
export function RentalOffer({ service, rental, creditsAvailable }: RentalOfferProps) {
  return (
    <div className="flex flex-col gap-5">
      <p>
        <span className="text-3xl/9 font-semibold tracking-tight tabular-nums">
          {formatMoney(rental.price, rental.currency)}
        </span>
        <span className="text-quiet">/month</span>
      </p>
      {service.features.length > 0 && (
        <section>
          <h3 className="font-medium">What you get</h3>
          <ul className="mt-2 grid gap-x-6 gap-y-1.5 sm:grid-cols-2">
            {service.features.map((feature) => (
              <li key={feature} className="flex items-start gap-2">
                <Check aria-hidden size={15} className="mt-[3px] shrink-0 text-quiet" />
                <span className="min-w-0">{feature}</span>
              </li>
            ))}
          </ul>
        </section>
      )}
      <PaidTools serverId={service.id} creditsAvailable={creditsAvailable} />
      <div className="border-t border-line pt-4 text-[0.8125rem] text-quiet">
        <p>
          Renews each month for {formatMoney(rental.price, rental.currency)} until you cancel. You can cancel at any
          time in My Services, and keep access until the month you paid for ends.
        </p>
        <p className="mt-2">
          {config.payments === 'sandbox' ? (
            <>
              Demo payments: no money moves. Pay with the card{' '}
              <span className="whitespace-nowrap">4242 4242 4242 4242</span>.
            </>
          ) : (
            'You pay on the page of our payment provider.'
          )}
        </p>
      </div>
    </div>
  );
}

/** The tools whose calls cost credits, rented or not. */
function PaidTools({ serverId, creditsAvailable }: { serverId: string; creditsAvailable: number }) {
  const { data } = useQuery(serverQuery(serverId));
  if (!data) return null;
  const tools = data.capabilities.filter(({ type }) => type === 'tool');
  const paid = tools.filter(({ creditCost = 0 }) => creditCost > 0);
  if (paid.length === 0) return <p className="text-quiet">All of its calls are included.</p>;
  return (
    <section>
      <h3 className="font-medium">Calls that cost credits on top</h3>
      <ul className="mt-2 divide-y divide-line rounded-md border border-line">
        {paid.map(({ name, displayName, creditCost = 0 }) => (
          <li key={name} className="flex items-baseline justify-between gap-4 px-3 py-2">
            <span className="min-w-0 wrap-anywhere">{displayName}</span>
            <span className="shrink-0 text-quiet tabular-nums">{creditsText(creditCost)} per call</span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-[0.8125rem] text-quiet">
        {restText(tools.length - paid.length)} You have {creditsText(creditsAvailable)}.
      </p>
    </section>
  );
}

/** The tools beside those that cost credits. */
function restText(count: number): string {
  if (count === 0) return 'Each of its tools costs credits.';
  return count === 1 ? 'Its other tool is included.' : `Its other ${formatCount(count)} tools are included.`;
}

const creditsText = (count: number) => (count === 1 ? '1 credit' : `${formatCount(count)} credits`);
