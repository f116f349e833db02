import type { getRentalOptions } from '@souk/contract/billing/billing.ts';
import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { useQuery } from '@tanstack/react-query';
import Check from 'lucide-react/icons/check';
import { counted, formatCount } from '#ui/text/amount.ts';
import { UtcDay } from '#ui/text/moment.tsx';
import { PlanLink } from '#web/own-access/plan-link.tsx';
import { serverQuery } from '#web/loading/server-query.ts';
import { MonthlyPrice } from '../monthly-price.tsx';
import { CreditWorth } from '../plans/credit-worth.tsx';
import { RenewalTerms } from '../renewal-terms.tsx';
import { unknownToolsText } from './unknown-tools-text.ts';

export type RentalOfferProps = {
  service: { id: string; name: string; features: readonly string[] };
  rental: NonNullable<AnswerOutput<typeof getRentalOptions>['rental']>;
  creditsAvailable: number;
};

export function RentalOffer({ service, rental, creditsAvailable }: RentalOfferProps) {
  return (
    <div className="flex flex-col gap-5">
      <MonthlyPrice amount={rental.price} currency={rental.currency} />
      <AlsoInPlan serverId={service.id} />
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
      <PaidTools service={service} creditsAvailable={creditsAvailable} />
      <RenewalTerms price={{ amount: rental.price, currency: rental.currency }} keep="access" />
    </div>
  );
}

function AlsoInPlan({ serverId }: { serverId: string }) {
  const { data: plan } = useQuery({ ...serverQuery(serverId), select: ({ server }) => server.billing?.plan });
  if (!plan) return null;
  return (
    <p className="-mt-2 text-quiet">
      Also included in <PlanLink plan={plan} />
    </p>
  );
}

/** The tools whose calls cost credits, even with the rental, now or from an announced date. */
function PaidTools({
  service: { id, name },
  creditsAvailable,
}: Pick<RentalOfferProps, 'service' | 'creditsAvailable'>) {
  const { data } = useQuery(serverQuery(id));
  if (!data) return null;
  const tools = data.capabilities.filter(({ type }) => type === 'tool');
  const costsNow = tools.filter(({ creditCost = 0 }) => creditCost > 0).length;
  const paid = tools.filter(({ creditCost = 0, comingCost }) => creditCost > 0 || (comingCost?.credits ?? 0) > 0);
  if (tools.length === 0) return <p className="text-quiet">{unknownText(name, data.server)}</p>;
  if (paid.length === 0) return <p className="text-quiet">All calls to {name} are included.</p>;
  return (
    <section>
      <h3 className="font-medium">Calls that {costsNow > 0 ? 'cost' : 'will cost'} credits on top</h3>
      <ul className="mt-2 divide-y divide-line rounded-md border border-line">
        {paid.map(({ name, displayName, creditCost = 0, comingCost }) => (
          <li key={name} className="flex items-baseline justify-between gap-4 px-3 py-2">
            <span dir="auto" className="min-w-0 wrap-anywhere">
              {displayName}
            </span>
            <span className="text-right text-quiet tabular-nums">
              {creditCost > 0 && `${counted(creditCost, 'credit')} per call`}
              {comingCost && (
                <span className="block">
                  From <UtcDay moment={comingCost.from} />: {comingText(comingCost.credits)}
                </span>
              )}
            </span>
          </li>
        ))}
      </ul>
      <p className="mt-2 text-[0.8125rem] text-quiet">
        {restText(tools.length - paid.length, costsNow === paid.length)} You have {counted(creditsAvailable, 'credit')}.
      </p>
      <CreditWorth className="mt-1 text-[0.8125rem] text-quiet tabular-nums" />
    </section>
  );
}

/** Prices belong to tools, so without a list of tools the price of calls is unknown. */
function unknownText(name: string, server: Pick<ServerAnswer, 'requires' | 'status'>): string {
  const isKnown = server.requires === undefined && server.status === 'connected';
  return `${unknownToolsText(name, server)}${isKnown ? '' : ' Some of their calls may cost credits.'}`;
}

function restText(count: number, allCostNow: boolean): string {
  if (count === 0) return allCostNow ? 'Each of its tools costs credits.' : 'Each of its tools costs credits, or will.';
  return count === 1 ? 'Its other tool is included.' : `Its other ${formatCount(count)} tools are included.`;
}

const comingText = (credits: number) => (credits === 0 ? 'free' : `${counted(credits, 'credit')} per call`);
