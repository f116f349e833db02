import { useQuery, useQueryClient } from '@tanstack/react-query';
import ChevronLeft from 'lucide-react/icons/chevron-left';
import ChevronRight from 'lucide-react/icons/chevron-right';
import ScrollText from 'lucide-react/icons/scroll-text';
import { Button } from '#ui/button.tsx';
import { classNames } from '#ui/class-names.ts';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { adminKey } from '../admin-api.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { failedToLoad, NotLoaded } from '../not-loaded.tsx';
import type { AdminSearch } from '../admin-search.ts';
import { AuditFilters, isFiltered, unfiltered } from './audit-filters.tsx';
import { auditQuery, faultOfFilters, filterOfActor, nameOfActor } from './audit-queries.ts';
import { AuditTable } from './audit-table.tsx';
import { ExportButtons } from './export-buttons.tsx';

export function AuditTab({ userId: adminId, search, onSearchChange }: AdminPartProps) {
  const client = useQueryClient();
  const fault = faultOfFilters(search);
  const read = useQuery({ ...auditQuery(adminId, search), enabled: fault === undefined });
  const data = fault === undefined ? read.data : undefined;
  const change = (part: AdminSearch, how: 'push' | 'replace' = 'push') => onSearchChange({ ...search, ...part }, how);
  const actor = data?.entries.find(({ who }) => filterOfActor(who) === search.who)?.who;
  const showAll = <Button onClick={() => change(unfiltered)}>Show all entries</Button>;
  const refreshNewest = () => void client.invalidateQueries({ queryKey: [...adminKey(adminId), 'audit'] });
  return (
    <div className="flex flex-col gap-4">
      <AuditFilters search={search} actorName={actor && nameOfActor(actor)} onChange={change} />
      {fault !== undefined && (
        <ErrorState title={fault} text="Change the filters, or show all entries." actions={showAll} />
      )}
      {fault === undefined && !data && (
        <NotLoaded
          query={read}
          label="Loading the audit log…"
          rows={8}
          describe={failedToLoad('the audit log')}
          actions={isFiltered(search) && showAll}
        />
      )}
      {data && (
        <>
          <div className="flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
            <p className="text-quiet">Newest first. Entries can't be changed or deleted.</p>
            <ExportButtons search={search} onExported={refreshNewest} />
          </div>
          <div
            aria-busy={read.isPlaceholderData}
            className={classNames('transition-opacity', read.isPlaceholderData && 'opacity-60')}
          >
            {data.entries.length > 0 ? (
              <AuditTable entries={data.entries} onWho={(who) => change({ who, cursor: undefined, side: undefined })} />
            ) : isFiltered(search) ? (
              <EmptyState icon={<ScrollText aria-hidden />} title="No entries match these filters." actions={showAll} />
            ) : (
              <EmptyState
                icon={<ScrollText aria-hidden />}
                title="The log is empty."
                text="Deployed servers, changed users and payments will appear here."
              />
            )}
          </div>
          <Pages {...data} isFirst={search.cursor === undefined} onChange={change} />
        </>
      )}
    </div>
  );
}

/** Buttons without page numbers: the log is read from the newest entry, and its pages aren't counted. */
function Pages({
  newer,
  older,
  isFirst,
  onChange,
}: {
  newer: string | null;
  older: string | null;
  isFirst: boolean;
  onChange: (change: AdminSearch) => void;
}) {
  if (isFirst && older === null) return null;
  return (
    <nav aria-label="Audit log, pages" className="flex flex-wrap justify-end gap-2">
      {!isFirst && (
        <Button size="small" onClick={() => onChange({ cursor: undefined, side: undefined })}>
          Newest
        </Button>
      )}
      <Button
        size="small"
        disabled={newer === null}
        onClick={() => newer !== null && onChange({ cursor: newer, side: 'newer' })}
        icon={<ChevronLeft aria-hidden size={15} />}
      >
        Newer
      </Button>
      <Button
        size="small"
        disabled={older === null}
        onClick={() => older !== null && onChange({ cursor: older, side: undefined })}
      >
        Older
        <ChevronRight aria-hidden size={15} />
      </Button>
    </nav>
  );
}
