import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import { categories, categorySchema } from '@souk/contract/manifest.ts';
import { useQuery } from '@tanstack/react-query';
import { Card } from '#ui/card.tsx';
import { Icon } from '#ui/icon.tsx';
import { TextLink } from '#ui/text-link.tsx';
import { DetailsButton } from './details-button.tsx';
import { serversQuery } from './queries.ts';

const shown = 4;

/** Other services of the same kind. Nothing where there are none. */
export function RelatedServers({ server }: { server: Pick<ServerAnswer, 'serverId' | 'metadata'> }) {
  const type = categorySchema.options.find((option) => categories[option] === server.metadata.category);
  const { data } = useQuery({ ...serversQuery({ type, pageSize: shown + 1 }), enabled: type !== undefined });
  const others = (data?.servers ?? []).filter(({ serverId }) => serverId !== server.serverId).slice(0, shown);
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="related-servers">
      <h2 id="related-servers" className="mb-3 text-base font-semibold">
        Related services
      </h2>
      <Card padding="none">
        <ul className="divide-y divide-line">
          {others.map((other) => (
            <li key={other.serverId}>
              <RelatedServer server={other} />
            </li>
          ))}
        </ul>
      </Card>
    </section>
  );
}

function RelatedServer({ server }: { server: ServerAnswer }) {
  const { serverId, displayName, displayDescription, metadata } = server;
  return (
    <div className="flex items-start gap-3 px-4 py-3">
      <Icon id={serverId} name={displayName} src={metadata.icon} size={32} />
      <div className="min-w-0 flex-1">
        <TextLink to="/service/$serviceId" params={{ serviceId: serverId }} className="font-medium wrap-anywhere">
          {displayName}
        </TextLink>
        <p className="truncate text-quiet">{displayDescription}</p>
      </div>
      <DetailsButton server={server} />
    </div>
  );
}
