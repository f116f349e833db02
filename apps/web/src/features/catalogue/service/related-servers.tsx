import { createClient } from '@souk/contract/client.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { getRelatedServers } from '@souk/contract/catalogue/related-servers.ts';
import { useQuery } from '@tanstack/react-query';
import { Badge } from '#ui/state/badge.tsx';
import { CardList } from '#ui/card.tsx';
import { Icon } from '#ui/picture/icon.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { clientOptions } from '#web/api.ts';
import { DetailsButton } from '../details-button.tsx';

type Related = AnswerOutput<typeof getRelatedServers>['servers'][number];

/** A client of its own, loaded with its schema after the first load. */
const relatedApi = createClient([getRelatedServers] as const, clientOptions);

/** Services with the same users, then others of the same category. */
export function RelatedServers({ serverId }: { serverId: string }) {
  const { data } = useQuery({
    queryKey: ['catalogue', 'related', serverId],
    queryFn: ({ signal }) => relatedApi.getRelatedServers({ params: { serverId } }, { signal }),
  });
  const others = data?.servers ?? [];
  if (others.length === 0) return null;
  return (
    <section aria-labelledby="related-servers">
      <h2 id="related-servers" className="mb-3 text-base font-semibold">
        Related services
      </h2>
      <CardList>
        {others.map((other) => (
          <li key={other.serverId}>
            <RelatedServer server={other} />
          </li>
        ))}
      </CardList>
    </section>
  );
}

function RelatedServer({ server }: { server: Related }) {
  const { serverId, displayName, displayDescription, icon, usedTogether } = server;
  return (
    <div className="flex items-start gap-3 px-4 py-3">
      <Icon id={serverId} name={displayName} src={icon} size={32} />
      <div className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <TextLink
            dir="auto"
            to="/service/$serviceId"
            params={{ serviceId: serverId }}
            className="font-medium wrap-anywhere"
          >
            {displayName}
          </TextLink>
          {usedTogether && <Badge>Often used together</Badge>}
        </span>
        <p dir="auto" className="truncate text-quiet">
          {displayDescription}
        </p>
      </div>
      <DetailsButton server={server} />
    </div>
  );
}
