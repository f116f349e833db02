import type { findServers } from '@souk/contract/catalogue/catalogue-search.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import SearchX from 'lucide-react/icons/search-x';
import { useRef, type ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { classNames } from '#ui/class-names.ts';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Pagination } from '#ui/pagination.tsx';
import { useLate } from '#ui/use-late.ts';
import { LiveCard } from './live-card.tsx';
import { ServerCard } from '../server-card.tsx';
import { ServerGrid } from './server-grid.tsx';

export type MarketplaceResultsProps = {
  found: AnswerOutput<typeof findServers>;
  live: boolean;
  searching: boolean;
  /** The newest search is not answered yet. */
  stale: boolean;
  howToFill?: ReactNode;
  onClear: () => void;
  onPage: (page: number) => void;
};

export function MarketplaceResults(props: MarketplaceResultsProps) {
  const { found, live, stale, onPage } = props;
  const heading = useRef<HTMLHeadingElement>(null);
  const isLate = useLate(stale, 200);
  const { servers, pagination } = found;
  if (servers.length === 0) return <NothingFound {...props} />;
  return (
    <section
      aria-labelledby="servers"
      aria-busy={stale}
      // without a transition, which would repaint all cards for each letter
      className={classNames(isLate && 'opacity-60')}
    >
      <h2 ref={heading} id="servers" tabIndex={-1} className="sr-only">
        Servers
      </h2>
      <ServerGrid servers={servers} card={live ? LiveCard : ServerCard} />
      <div className="mt-6">
        <Pagination
          label="Servers"
          page={pagination.page}
          pageCount={pagination.pages}
          onChange={(page) => {
            onPage(page);
            // the Tab key and screen readers continue at the top of the next page
            heading.current?.focus({ preventScroll: true });
          }}
        />
      </div>
    </section>
  );
}

function NothingFound({ live, searching, howToFill, onClear }: MarketplaceResultsProps) {
  return (
    <EmptyState
      icon={<SearchX aria-hidden />}
      title={live ? 'No MCP Servers Found' : 'No servers found'}
      text={
        searching ? (
          'Try adjusting your search query.'
        ) : (
          <>
            <p>No MCP servers are currently available.</p>
            {howToFill}
          </>
        )
      }
      actions={searching && <Button onClick={onClear}>{live ? 'Clear search' : 'Clear search and filters'}</Button>}
    />
  );
}
