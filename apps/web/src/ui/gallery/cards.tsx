import { Card } from '../card.tsx';
import { DelayedFallback } from '../state/delayed-fallback.tsx';
import { Icon } from '../picture/icon.tsx';
import { Skeleton } from '../state/skeleton.tsx';
import { StatusBadge } from '../state/status-badge.tsx';
import { TextLink } from '../text/text-link.tsx';
import { TierBadge } from '../state/tier-badge.tsx';
import { Part } from './part.tsx';

const servers = ['Calendar', 'Notes', 'Travel'] as const;

export function Cards() {
  return (
    <Part title="Cards">
      <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
        {servers.map((name, index) => (
          <Card key={name} as="li" interactive>
            <div className="flex items-start gap-3">
              <Icon id={name} name={name} />
              <div className="min-w-0 flex-1">
                <h3 className="truncate font-semibold">
                  <TextLink to="/" tone="quiet" className="text-text after:absolute after:inset-0">
                    {name} with a name that is far too long for its card
                  </TextLink>
                </h3>
                <div className="truncate text-[0.8125rem] text-quiet">Productivity</div>
              </div>
              <StatusBadge status={index === 1 ? 'error' : 'connected'} />
            </div>
            <p className="mt-3 line-clamp-2 text-quiet">
              Search, read and write from any assistant. Connect once, then call its tools with the access you have.
            </p>
            <div className="mt-3 flex items-center justify-between">
              <TierBadge tier={index === 0 ? 'T0' : 'T1'} />
              <span className="font-medium tabular-nums">{index === 0 ? 'Free' : '$9/month'}</span>
            </div>
          </Card>
        ))}
      </ul>
      <div className="mt-4">
        <DelayedFallback label="Loading servers">
          <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-3">
            {servers.map((name) => (
              <Card key={name}>
                <div className="flex gap-3">
                  <Skeleton className="size-10" />
                  <div className="flex flex-1 flex-col gap-2">
                    <Skeleton className="h-4 w-2/3" />
                    <Skeleton className="h-3 w-1/3" />
                  </div>
                </div>
                <Skeleton className="mt-4 h-8" />
              </Card>
            ))}
          </div>
        </DelayedFallback>
      </div>
    </Part>
  );
}
