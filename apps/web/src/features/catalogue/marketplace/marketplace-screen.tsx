import { maxSearchLength } from '@souk/contract/catalogue/catalogue-search.ts';
import { useQuery } from '@tanstack/react-query';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import { useDeferredValue, type ReactNode } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { classNames } from '#ui/class-names.ts';
import { Notice } from '#ui/state/notice.tsx';
import { ScreenHeading } from '#ui/text/screen-heading.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { SearchText } from '#ui/text/search-text.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import { MarketplaceFilters } from './marketplace-filters.tsx';
import { MarketplaceResults } from './marketplace-results.tsx';
import { isNarrowed, type MarketplaceSearch, searchPlaceholder } from './marketplace-search.ts';
import { marketplacePageSize, serversQuery, useRefresh } from '../queries.ts';
import { ServerGridPlaceholder } from './server-grid.tsx';

export type MarketplaceScreenProps = {
  search: MarketplaceSearch;
  /** Writes the address. `replace` while the user types, so that Back leaves the page instead of deleting letters. */
  onSearchChange: (search: MarketplaceSearch, how: { replace: boolean }) => void;
  howToFill?: ReactNode;
  offer?: ReactNode;
};

/** Refetch interval of the live variant. An unchanged answer is a few bytes. */
const liveEveryMs = 10_000;

/**
 * /marketplace and /search: the servers that match the address, by page. The live variant (`?view=live`) shows the
 * status of each server, and searches by text only.
 */
export function MarketplaceScreen({ search, onSearchChange, howToFill, offer }: MarketplaceScreenProps) {
  const live = search.view === 'live';
  const { view, ...asked } = live ? { q: search.q, page: search.page, view: search.view } : search;
  const page = useQuery(serversQuery({ ...asked, pageSize: marketplacePageSize }, live ? liveEveryMs : undefined));
  const { data, error } = page;
  // rendering the results may wait while the user types
  const found = useDeferredValue(data);
  const refresh = useRefresh();
  const title = titleOf(search);
  const change = (next: MarketplaceSearch, replace = false) =>
    onSearchChange({ ...asked, view, page: undefined, ...next }, { replace });
  const clear = () => onSearchChange({ sort: live ? undefined : search.sort, view }, { replace: false });
  return (
    <>
      <ScreenTitle title={title} />
      <ScreenHeading
        title={title}
        subtitle={
          <>
            {live && <p>Currently running MCP servers with real-time status</p>}
            {offer}
            <span className="flex h-7 items-center gap-2">
              <Counter shown={found?.pagination.total} all={found?.deployed} />
              {found && found.servers.length > 0 && isNarrowed(asked) && (
                <Button variant="ghost" size="small" onClick={clear}>
                  Clear
                </Button>
              )}
            </span>
          </>
        }
        actions={
          <>
            <span className="mr-2">
              <Switch label="Live" checked={live} onChange={(on) => change({ view: on ? 'live' : undefined })} />
            </span>
            <Button
              loading={refresh.isPending}
              onClick={() => refresh.mutate()}
              icon={<RefreshCw aria-hidden size={16} />}
            >
              {refresh.isPending ? 'Refreshing...' : 'Refresh'}
            </Button>
          </>
        }
      />
      <div
        role="search"
        className={classNames('mb-6 grid gap-2', !live && 'grid-cols-[minmax(0,1fr)_auto] sm:max-lg:grid-cols-1')}
      >
        <SearchText
          label="Search services"
          placeholder={searchPlaceholder}
          q={search.q}
          maxLength={maxSearchLength}
          onChange={(q) => change({ q }, true)}
        />
        {!live && <MarketplaceFilters search={search} onChange={change} />}
      </div>
      {refresh.isError && (
        <div className="mb-4">
          <Notice tone="bad">Failed to refresh MCP servers. {refresh.error.message}</Notice>
        </div>
      )}
      {!found && !error && <ServerGridPlaceholder />}
      {!data && error && <LoadError title="Failed to load MCP servers" text={error.message} query={page} />}
      {data && found && (
        <MarketplaceResults
          found={found}
          live={live}
          searching={isNarrowed(asked)}
          stale={page.isPlaceholderData}
          howToFill={found.deployed === 0 && howToFill}
          onClear={clear}
          onPage={(next) => change({ page: next === 1 ? undefined : next })}
        />
      )}
    </>
  );
}

function titleOf({ q, view }: MarketplaceSearch): string {
  if (view === 'live') return 'Live MCP Servers';
  return q === undefined ? 'All MCP Servers' : `Search results for "${q}"`;
}

/** X = servers that match, Y = deployed servers. */
function Counter({ shown, all }: { shown: number | undefined; all: number | undefined }) {
  return (
    <span role="status" className="tabular-nums">
      {shown !== undefined && all !== undefined && `Showing ${formatCount(shown)} of ${formatCount(all)} servers`}
    </span>
  );
}
