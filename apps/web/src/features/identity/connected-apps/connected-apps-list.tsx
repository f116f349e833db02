import type { ConnectedApp } from '@souk/contract/connected-apps.ts';
import BadgeCheck from 'lucide-react/icons/badge-check';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { CardList } from '#ui/card.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { LetterImage } from '#ui/picture/letter-image.tsx';
import { config } from '#web/config.ts';
import { useServerNames } from '#web/loading/server-query.ts';
import { accessSentences, serverOfLink } from './connected-app-texts.ts';
import { Facts } from '#ui/text/facts.tsx';
import { Ago, Day } from '#ui/text/moment.tsx';

type ConnectedAppsListProps = { apps: readonly ConnectedApp[]; onDisconnect: (app: ConnectedApp) => void };

export function ConnectedAppsList({ apps, onDisconnect }: ConnectedAppsListProps) {
  return (
    <CardList aria-label="Your connected apps">
      {apps.map((app) => (
        <li key={app.id} className="flex flex-wrap items-start gap-x-3 gap-y-3 p-4">
          <LetterImage name={app.clientName} size={40} className="rounded-md max-sm:hidden" />
          <AppFacts app={app} />
          <Button
            size="small"
            aria-label={`Disconnect ${app.clientName}`}
            onPointerEnter={preloadDialog}
            onClick={() => onDisconnect(app)}
          >
            Disconnect
          </Button>
        </li>
      ))}
    </CardList>
  );
}

function AppFacts({ app }: { app: ConnectedApp }) {
  const { publicUrl } = config;
  const nameOf = useServerNames(
    app.resources.map((link) => serverOfLink(link, publicUrl)).filter((id) => id !== undefined),
  );
  const access = accessSentences({ ...app, publicUrl, nameOf });
  return (
    <div className="min-w-0 flex-1 max-sm:basis-full">
      <div className="flex flex-wrap items-center gap-x-2 gap-y-1">
        <h3 className="font-medium wrap-anywhere">{app.clientName}</h3>
        {app.publishedBy === null ? (
          <Badge>Unverified application</Badge>
        ) : (
          <Badge tone="good" icon={<BadgeCheck aria-hidden size={13} />}>
            Published by {app.publishedBy}
          </Badge>
        )}
      </div>
      <p className="mt-1 text-quiet wrap-anywhere">{access}</p>
      <Facts className="mt-0.5 text-[0.8125rem] text-faint wrap-anywhere">
        {`Sends you back to ${app.redirectHost}`}
        <>
          Allowed <Day moment={app.createdAt} />
        </>
        {app.lastUsedAt === null ? (
          'Never used'
        ) : (
          <>
            Last used <Ago moment={app.lastUsedAt} />
          </>
        )}
      </Facts>
    </div>
  );
}
