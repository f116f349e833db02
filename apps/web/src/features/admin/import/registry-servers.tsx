import type { Registry } from '@souk/contract/catalogue/registries.ts';
import { useInfiniteQuery } from '@tanstack/react-query';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { NotLoaded } from '../not-loaded.tsx';
import { registryServersQuery } from './import-queries.ts';
import { RegistryFilters } from './registry-filters.tsx';
import { RegistryServer } from './registry-server.tsx';

export function RegistryServers({
  userId,
  registry,
  search,
  onSearchChange,
}: Pick<AdminPartProps, 'userId' | 'search' | 'onSearchChange'> & { registry: Registry }) {
  const query = useInfiniteQuery(registryServersQuery(userId, registry.id, search));
  const servers = query.data?.pages.flatMap((page) => page.servers) ?? [];
  const read = query.data?.pages.reduce((sum, page) => sum + page.read, 0) ?? 0;
  const isNarrowed = [search.q, search.kind, search.only, search.since].some((filter) => filter !== undefined);
  return (
    <div className="flex flex-col gap-3">
      <RegistryFilters search={search} onChange={(change, how) => onSearchChange({ ...search, ...change }, how)} />
      {!query.data && (
        <NotLoaded
          query={query}
          label={`Loading ${registry.name}…`}
          rows={6}
          describe={(error) => ({
            title: failureText(error),
            reason: 'Nothing else is affected: servers imported from it keep working.',
          })}
        />
      )}
      {query.data && (
        <>
          <p role="status" className="text-[0.8125rem] text-quiet tabular-nums">
            {servers.length === read
              ? `${formatCount(servers.length)} servers`
              : `${formatCount(servers.length)} of ${formatCount(read)} servers loaded so far`}
          </p>
          {servers.length === 0 ? (
            <EmptyState
              title={isNarrowed ? 'No servers match your filters.' : 'This registry lists no servers.'}
              text={query.hasNextPage ? 'There are more pages to load.' : undefined}
              actions={
                isNarrowed && (
                  <Button
                    onClick={() =>
                      onSearchChange({ tab: 'manifests', import: 'registry', registry: registry.id }, 'push')
                    }
                  >
                    Clear filters
                  </Button>
                )
              }
            />
          ) : (
            <ul
              aria-label={`Servers of ${registry.name}`}
              className="divide-y divide-line rounded-lg border border-line bg-surface"
            >
              {servers.map((server) => (
                <RegistryServer key={`${server.name} ${server.version}`} server={server} search={search} />
              ))}
            </ul>
          )}
          {query.isError && <Notice tone="bad">{failureText(query.error)}</Notice>}
          {query.hasNextPage && (
            <Button
              className="self-center"
              loading={query.isFetchingNextPage}
              onClick={() => void query.fetchNextPage()}
            >
              Show more
            </Button>
          )}
        </>
      )}
    </div>
  );
}
