import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useState } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { classNames } from '#ui/class-names.ts';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Pagination } from '#ui/pagination.tsx';
import { useMedia } from '#ui/use-media.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import type { AdminSearch } from '../admin-search.ts';
import { LoadFailed } from '../not-loaded.tsx';
import { AllManifests } from './deploy/all-manifests.tsx';
import { DeleteDialog } from './delete/delete-dialog.tsx';
import { DeployDialog } from './deploy/deploy-dialog.tsx';
import { listFailure } from './failure-texts.ts';
import type { ManifestActionsProps } from './manifest-actions.tsx';
import { ManifestFilters } from './manifest-filters.tsx';
import { manifestsQuery, type ManifestList } from './manifest-queries.ts';
import { ManifestStats } from './manifest-stats.tsx';
import { ManifestCards, ManifestTable } from './manifest-table.tsx';
import { ManifestsSkeleton } from './manifests-skeleton.tsx';
import { UnderReview } from './under-review.tsx';
import { UploadPanel } from './upload/upload-panel.tsx';

/** The tab 'Broker Manifests' (spec part 2, section 2). */
export function ManifestsTab({ userId, search, onSearchChange, signInAgain }: AdminPartProps) {
  const { q, type, status, health, sort, page } = search;
  const list = useQuery(manifestsQuery(userId, { q, type, status, health, sort, page }));
  // deferred, so that a long list doesn't slow down typing
  const found = useDeferredValue(list.data);
  const [deploying, setDeploying] = useState<string>();
  const [deleting, setDeleting] = useState<string>();
  const failure = list.error && listFailure(list.error);
  return (
    <div className="flex flex-col gap-6">
      <UnderReview count={found?.counts.underReview ?? 0} userId={userId} />
      <ManifestStats counts={found?.counts} />
      <UploadPanel userId={userId} onDeploy={setDeploying} />
      <AllManifests userId={userId} counts={found?.counts} />
      <div className="flex flex-col gap-3">
        <ManifestFilters
          search={search}
          counts={found?.counts}
          onChange={(next, how) => onSearchChange(changed(search, next), how)}
        />
        {failure && found && (
          <Notice
            tone="bad"
            action={
              <Button size="small" className="-my-1" loading={list.isFetching} onClick={() => void list.refetch()}>
                Retry
              </Button>
            }
          >
            {failure.title}
          </Notice>
        )}
        {!found && (failure ? <LoadFailed query={list} describe={listFailure} /> : <ManifestsSkeleton />)}
        {found && (
          <Found
            found={found}
            isStale={list.isPlaceholderData}
            search={search}
            onSearchChange={onSearchChange}
            onDeploy={setDeploying}
            onDelete={setDeleting}
          />
        )}
      </div>
      <EachOpening asked={deploying}>
        {(id, open) => <DeployDialog userId={userId} id={id} open={open} onClose={() => setDeploying(undefined)} />}
      </EachOpening>
      <EachOpening asked={deleting}>
        {(id, open) => (
          <DeleteDialog
            userId={userId}
            id={id}
            open={open}
            signInAgain={signInAgain}
            onClose={() => setDeleting(undefined)}
          />
        )}
      </EachOpening>
    </div>
  );
}

/** Returns the address with a change, at the first page. */
const changed = (search: AdminSearch, next: AdminSearch): AdminSearch => ({ ...search, page: undefined, ...next });

function Found({
  found,
  isStale,
  onSearchChange,
  ...actions
}: Omit<ManifestActionsProps, 'manifest'> &
  Pick<AdminPartProps, 'onSearchChange'> & {
    found: ManifestList;
    /** The next page is loading. */
    isStale: boolean;
  }) {
  const { search } = actions;
  const { manifests, pagination } = found;
  const deletedMatching = found.counts.deletedMatching ?? 0;
  const isWide = useMedia('(min-width: 1150px)');
  const isNarrowed = [search.q, search.type, search.status, search.health].some((filter) => filter !== undefined);
  const change = (next: AdminSearch, how: 'push' | 'replace') => onSearchChange(changed(search, next), how);
  const empty =
    pagination.total > 0 ? (
      <EmptyState
        title="This page is past the last one."
        actions={<Button onClick={() => change({}, 'push')}>First page</Button>}
      />
    ) : isNarrowed ? (
      <EmptyState
        title="No manifests match your filters."
        actions={<Button onClick={() => onSearchChange({ tab: search.tab }, 'push')}>Clear filters</Button>}
      />
    ) : (
      <EmptyState title="No manifests found." text="Upload a manifest to add the first server." />
    );
  return (
    <>
      <p role="status" className="text-[0.8125rem] text-quiet tabular-nums">
        {countText(found, { isNarrowed, isDeleted: search.status === 'deleted' })}
        {deletedMatching > 0 &&
          ` ${counted(deletedMatching, 'deleted or undeployed server matches', 'deleted or undeployed servers match')}.`}
      </p>
      {deletedMatching > 0 && (
        <Button
          size="small"
          className="self-start"
          onClick={() => change({ status: 'deleted', health: undefined }, 'push')}
        >
          Show deleted
        </Button>
      )}
      {manifests.length === 0 ? (
        empty
      ) : (
        <div className={classNames('flex flex-col gap-3', isStale && 'opacity-60')}>
          {isWide ? (
            <ManifestTable manifests={manifests} {...actions} onSort={(sort) => change({ sort }, 'replace')} />
          ) : (
            <ManifestCards manifests={manifests} {...actions} />
          )}
          <Pagination
            label="Manifests"
            page={pagination.page}
            pageCount={pagination.pages}
            onChange={(page) => change({ page: page === 1 ? undefined : page }, 'push')}
          />
        </div>
      )}
    </>
  );
}

function countText(
  { pagination: { total }, counts }: ManifestList,
  { isNarrowed, isDeleted }: { isNarrowed: boolean; isDeleted: boolean },
): string {
  if (isDeleted) return counted(total, 'deleted or undeployed server');
  const all = `${formatCount(counts.total)} manifests`;
  return isNarrowed ? `${formatCount(total)} of ${all}` : all;
}
