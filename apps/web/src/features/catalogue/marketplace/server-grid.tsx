import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { memo, type ComponentType } from 'react';
import { Card } from '#ui/card.tsx';
import { classNames } from '#ui/class-names.ts';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { useInParts } from '#ui/use-in-parts.ts';
import { ServerCard } from '../server-card.tsx';

const grid = 'grid gap-4 sm:grid-cols-2 lg:grid-cols-3';

export type ServerGridProps = {
  servers: readonly ServerAnswer[];
  card?: ComponentType<{ server: ServerAnswer }>;
};

/** Cards rendered immediately, enough for a phone or a small window. The others follow. */
const firstCards = 6;

/** A grid of cards, rendered again only for other servers. */
export const ServerGrid = memo(function ServerGrid({ servers, card: ShownCard = ServerCard }: ServerGridProps) {
  const places = useInParts(servers, firstCards);
  return (
    <ul className={grid}>
      {places.map((server, place) => (
        // keyed by place: changing the content of a card costs a fraction of creating one
        <li key={place} className="min-w-0">
          {server ? <ShownCard server={server} /> : <div className="h-52" />}
        </li>
      ))}
    </ul>
  );
});

/**
 * Placeholders of 6 cards (spec part 1, section 9). They fill the height of the window from the start, so that what is
 * below does not visibly move.
 */
export function ServerGridPlaceholder() {
  return (
    <DelayedFallback label="Loading servers…">
      <div className={classNames(grid, 'min-h-dvh content-start')} data-testid="server-placeholders">
        {['one', 'two', 'three', 'four', 'five', 'six'].map((place) => (
          <Card key={place} data-testid="server-placeholder" className="flex flex-col gap-3">
            <div className="flex items-start gap-3">
              <Skeleton className="size-10 shrink-0" />
              <div className="flex flex-1 flex-col gap-2 py-0.5">
                <Skeleton className="h-4 w-28" />
                <Skeleton className="h-3 w-40 max-w-full" />
              </div>
            </div>
            <div className="flex min-h-10 flex-col gap-2 pt-1">
              <Skeleton className="h-3 w-full" />
              <Skeleton className="h-3 w-3/5" />
            </div>
            <Skeleton className="my-0.75 h-5.5 w-20 rounded-full" />
            <div className="flex justify-between border-t border-line pt-3">
              <Skeleton className="h-5 w-28" />
              <Skeleton className="h-5 w-20" />
            </div>
          </Card>
        ))}
      </div>
    </DelayedFallback>
  );
}
