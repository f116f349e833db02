import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useContext } from 'react';
import { Card } from '#ui/card.tsx';
import { Icon } from '#ui/picture/icon.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { CardState } from '#web/own-access/card-offer.ts';
import { DownLine } from '../down-line.tsx';
import { ServerLink } from '../server-link.tsx';
import { toolCount } from '../server-texts.ts';

/**
 * A server of the live variant: its status, and the time of the last update. The whole card is one link to its page.
 */
export function LiveCard({ server }: { server: ServerAnswer }) {
  const State = useContext(CardState);
  const { serverId, displayName, metadata, status, lastUpdate } = server;
  return (
    <Card as="article" interactive className="group flex h-full flex-col gap-3">
      <div className="flex items-center gap-3">
        <Icon id={serverId} name={displayName} src={metadata.icon} />
        <div className="min-w-0 flex-1">
          <h3 dir="auto" className="truncate font-semibold" title={displayName}>
            {displayName}
          </h3>
          <p className="flex gap-3 text-[0.8125rem] text-quiet tabular-nums">
            <span className="truncate">{toolCount(server)}</span>
            <State serverId={serverId} />
          </p>
        </div>
        <StatusBadge status={status} quiet />
      </div>
      <DownLine server={server} />
      <div className="mt-auto flex items-center justify-between gap-3 border-t border-line pt-3 text-[0.8125rem]">
        <span className="truncate text-quiet">
          Updated: <Ago moment={lastUpdate} />
        </span>
        <ServerLink serverId={serverId} name={displayName} />
      </div>
    </Card>
  );
}
