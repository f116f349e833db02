import type { UseQueryResult } from '@tanstack/react-query';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import ChevronRight from 'lucide-react/icons/chevron-right';
import type { ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { classNames } from '#ui/class-names.ts';
import { EmptyState } from '#ui/state/empty-state.tsx';
import type { AdminSearch } from '../admin-search.ts';
import { failedToLoad, NotLoaded } from '../not-loaded.tsx';

type Page = { nextCursor: string | null };

/**
 * A page of a list with cursors. The cursor is in the address, so that Back returns to the previous page, which stays visible
 * until the next one has loaded.
 */
export function PagedList<Answer extends Page>({
  list,
  label,
  search: { after },
  onChange,
  count,
  empty,
  children,
}: {
  list: UseQueryResult<Answer>;
  /** Items of the list, in the plural: "calls". */
  label: string;
  search: AdminSearch;
  onChange: (change: AdminSearch) => void;
  count: (answer: Answer) => number;
  empty: { title: string; text?: ReactNode; actions?: ReactNode };
  children: (answer: Answer) => ReactNode;
}) {
  const { data, isPlaceholderData } = list;
  const toNewest = after !== undefined && (
    <Button onClick={() => onChange({ after: undefined })}>Newest {label}</Button>
  );
  if (!data) {
    return (
      <NotLoaded query={list} label={`Loading ${label}…`} rows={6} describe={failedToLoad(label)} actions={toNewest} />
    );
  }
  if (count(data) === 0) {
    return toNewest ? (
      <EmptyState title="This page is past the last one." actions={toNewest} />
    ) : (
      <EmptyState {...empty} />
    );
  }
  const { nextCursor } = data;
  return (
    <div className="flex flex-col gap-4">
      <div
        aria-busy={isPlaceholderData}
        className={classNames('transition-opacity', isPlaceholderData && 'opacity-60')}
      >
        {children(data)}
      </div>
      {(after !== undefined || nextCursor !== null) && (
        <nav aria-label={`Pages of ${label}`} className="flex items-center justify-end gap-2">
          <Button
            size="small"
            disabled={after === undefined}
            onClick={() => onChange({ after: undefined })}
            icon={<ChevronLeft aria-hidden size={15} />}
          >
            Newest
          </Button>
          <Button
            size="small"
            disabled={nextCursor === null || isPlaceholderData}
            onClick={() => nextCursor !== null && onChange({ after: nextCursor })}
          >
            Older
            <ChevronRight aria-hidden size={15} />
          </Button>
        </nav>
      )}
    </div>
  );
}
