import { useQuery } from '@tanstack/react-query';
import RefreshCw from 'lucide-react/icons/refresh-cw';
import SearchX from 'lucide-react/icons/search-x';
import { useState } from 'react';
import { formatCount } from '#ui/amount.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { Notice } from '#ui/notice.tsx';
import { ScreenHeading } from '#ui/screen-heading.tsx';
import { ScreenTitle } from '#ui/screen-title.tsx';
import { SearchField } from '#ui/search-field.tsx';
import { capabilitiesQuery } from '#web/capabilities-query.ts';
import { findServers, isNarrowed, type MarketplaceSearch } from './find-servers.ts';
import { MarketplaceFilters } from './marketplace-filters.tsx';
import { useRefresh } from './queries.ts';
import { ServerGrid, ServerGridPlaceholder } from './server-grid.tsx';

export type MarketplaceScreenProps = {
  /** What the address says (parseMarketplaceSearch). */
  search: MarketplaceSearch;
  /** Writes the address. `replace` while a person types, so that Back leaves the page instead of deleting letters. */
  onSearchChange: (search: MarketplaceSearch, how: { replace: boolean }) => void;
};

/** /marketplace and /search: every server, searched and filtered by what the address says. */
export function MarketplaceScreen({ search, onSearchChange }: MarketplaceScreenProps) {
  const { data, error, isPending, isFetching, refetch } = useQuery(capabilitiesQuery);
  const refresh = useRefresh();
  const title = search.q === undefined ? 'All MCP Servers' : `Search results for "${search.q}"`;
  const found = data && findServers(data.servers, search);
  const clear = () => onSearchChange(search.sort ? { sort: search.sort } : {}, { replace: false });
  return (
    <>
      <ScreenTitle title={title} />
      <ScreenHeading
        title={title}
        subtitle={
          <span className="flex h-7 items-center gap-2">
            <Counter shown={found?.length} all={data?.servers.length} />
            {found && found.length > 0 && isNarrowed(search) && (
              <Button variant="ghost" size="small" onClick={clear}>
                Clear
              </Button>
            )}
          </span>
        }
        actions={
          <Button
            loading={refresh.isPending}
            onClick={() => refresh.mutate()}
            icon={<RefreshCw aria-hidden size={16} />}
          >
            {refresh.isPending ? 'Refreshing...' : 'Refresh'}
          </Button>
        }
      />
      <div role="search" className="mb-6 grid gap-2 lg:grid-cols-[minmax(0,1fr)_auto]">
        <SearchText q={search.q} onChange={(q) => onSearchChange({ ...search, q }, { replace: true })} />
        <MarketplaceFilters
          search={search}
          onChange={(change) => onSearchChange({ ...search, ...change }, { replace: false })}
        />
      </div>
      {refresh.isError && (
        <div className="mb-4">
          <Notice tone="bad">Failed to refresh MCP servers. {refresh.error.message}</Notice>
        </div>
      )}
      {isPending && <ServerGridPlaceholder />}
      {!data && error && (
        <ErrorState
          title="Failed to load MCP servers"
          text={error.message}
          onRetry={() => void refetch()}
          retrying={isFetching}
        />
      )}
      {found && found.length > 0 && (
        <section aria-labelledby="servers">
          <h2 id="servers" className="sr-only">
            Servers
          </h2>
          <ServerGrid servers={found} />
        </section>
      )}
      {found?.length === 0 && <NothingFound searching={isNarrowed(search)} onClear={clear} />}
    </>
  );
}

function Counter({ shown, all }: { shown: number | undefined; all: number | undefined }) {
  return (
    <span role="status" className="tabular-nums">
      {shown !== undefined && all !== undefined && `Showing ${formatCount(shown)} of ${formatCount(all)} servers`}
    </span>
  );
}

function NothingFound({ searching, onClear }: { searching: boolean; onClear: () => void }) {
  return (
    <EmptyState
      icon={<SearchX aria-hidden />}
      title="No servers found"
      text={searching ? 'Try adjusting your search query.' : 'No MCP servers are currently available.'}
      actions={searching && <Button onClick={onClear}>Clear search and filters</Button>}
    />
  );
}

/** Keeps the text as typed, while the address holds it trimmed. A change of the address by Back or a link wins. */
function SearchText({ q = '', onChange }: { q: string | undefined; onChange: (q: string | undefined) => void }) {
  const [typed, setTyped] = useState(q);
  const [known, setKnown] = useState(q);
  if (q !== known) {
    setKnown(q);
    if (typed.trim() !== q) setTyped(q);
  }
  return (
    <SearchField
      label="Search servers"
      placeholder="Search by name, description or id"
      value={typed}
      onChange={(text) => {
        setTyped(text);
        onChange(text.trim() === '' ? undefined : text.trim());
      }}
    />
  );
}
