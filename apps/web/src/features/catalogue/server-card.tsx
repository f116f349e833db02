import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useContext } from 'react';
import { Card } from '#ui/card.tsx';
import { classNames } from '#ui/class-names.ts';
import { Icon } from '#ui/picture/icon.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { TierBadge } from '#ui/state/tier-badge.tsx';
import { callsText, rentalPrice } from '#web/texts/access-text.ts';
import { CardOffer, CardState } from '#web/own-access/card-offer.ts';
import { sells } from '#web/config.ts';
import { PlanLink } from '#web/own-access/plan-link.tsx';
import { counted } from '#ui/text/amount.ts';
import { HiddenName } from '#ui/text/hidden-name.tsx';
import { DownLine } from './down-line.tsx';
import { ServerLink } from './server-link.tsx';
import { toolCount } from './server-texts.ts';

/** A server in the shop. The whole card is one link to its page, with the Purchase button on top. */
export function ServerCard({ server }: { server: ServerAnswer }) {
  const price = rentalPrice(server, sells);
  const plan = sells ? server.billing?.plan : undefined;
  const calls = sells ? callsText(server) : undefined;
  const Offer = useContext(CardOffer);
  const State = useContext(CardState);
  const { serverId, displayName, displayDescription, metadata, capabilities, billing, status } = server;
  return (
    <Card as="article" interactive className="group flex h-full flex-col gap-3">
      <div className="flex items-start gap-3">
        <Icon id={serverId} name={displayName} src={metadata.icon} />
        <div className="min-w-0 flex-1">
          <div className="flex items-start justify-between gap-2">
            <h3 dir="auto" className="truncate font-semibold" title={displayName}>
              {displayName}
            </h3>
            <StatusBadge status={status} quiet />
          </div>
          <p className="truncate text-[0.8125rem] text-quiet">
            {metadata.category} · {metadata.author}
          </p>
        </div>
      </div>
      <p dir="auto" className="line-clamp-2 min-h-10 text-quiet">
        {displayDescription}
      </p>
      <div className="flex min-h-7 flex-wrap items-center gap-x-3 gap-y-2 empty:hidden">
        {billing && <TierBadge tier={billing.tier} />}
        <State serverId={serverId} />
        {(price !== undefined || plan) && (
          <Offer serverId={serverId}>
            {price !== undefined && (
              <>
                <span className="ml-auto font-medium tabular-nums">{price}</span>
                <LinkButton
                  size="small"
                  to="/service/$serviceId"
                  params={{ serviceId: serverId }}
                  search={{ purchase: 'rental' }}
                  className="z-1"
                >
                  Purchase
                  <HiddenName name={displayName} />
                </LinkButton>
              </>
            )}
            {plan && (
              <span className={classNames('text-[0.8125rem] text-quiet', price !== undefined && 'w-full')}>
                Included in <PlanLink plan={plan} />
              </span>
            )}
          </Offer>
        )}
        {calls !== undefined && <span className="text-[0.8125rem] text-quiet">{calls}</span>}
      </div>
      <DownLine server={server} />
      <div className="mt-auto flex items-center justify-between gap-3 border-t border-line pt-3 text-[0.8125rem]">
        <span className="truncate text-quiet tabular-nums">
          {toolCount(server)} · {counted(capabilities.prompts, 'prompt')}
        </span>
        <ServerLink serverId={serverId} name={displayName} />
      </div>
    </Card>
  );
}
