import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useContext } from 'react';
import { Facts } from '#ui/text/facts.tsx';
import { rentalPrice } from '#web/texts/access-text.ts';
import { CardOffer } from '#web/own-access/card-offer.ts';
import { sells } from '#web/config.ts';
import { PlanLink } from '#web/own-access/plan-link.tsx';

/** "$9/month · Included in Pro ($19/month)", or what the user already has. */
export function PriceLine({ server }: { server: Pick<ServerAnswer, 'serverId' | 'billing'> }) {
  const Offer = useContext(CardOffer);
  const price = rentalPrice(server, sells);
  const plan = sells ? server.billing?.plan : undefined;
  if (price === undefined && !plan) return null;
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-quiet">
      <Offer serverId={server.serverId}>
        <Facts>
          {price !== undefined && <span className="font-medium text-text tabular-nums">{price}</span>}
          {plan && (
            <>
              Included in <PlanLink plan={plan} />
            </>
          )}
        </Facts>
      </Offer>
    </div>
  );
}
