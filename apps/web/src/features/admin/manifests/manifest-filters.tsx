import type { ReactNode } from 'react';
import { Select } from '#ui/form/select.tsx';
import { SearchText } from '#ui/text/search-text.tsx';
import { formatCount } from '#ui/text/amount.ts';
import { maxSearchLength, type AdminSearch } from '../admin-search.ts';
import type { ManifestCounts } from './manifest-queries.ts';

const typeOptions = [
  { value: '', label: 'All' },
  { value: 'http', label: 'HTTP' },
  { value: 'websocket', label: 'WebSocket' },
  { value: 'stdio', label: 'STDIO' },
] as const;
const statusOptions = [
  { value: '', label: 'All' },
  { value: 'active', label: 'Active' },
  { value: 'inactive', label: 'Inactive' },
] as const;

/** Options that aren't in the Status filter, which has only the specification's three. */
const shownOptions = ({ failing, deleted }: Pick<ManifestCounts, 'failing' | 'deleted'>) =>
  [
    { value: '', label: 'All' },
    { value: 'failing', label: `Failing (${formatCount(failing)})` },
    { value: 'deleted', label: `Deleted or undeployed (${formatCount(deleted)})` },
  ] as const;

/** Pause in typing before a search, since each one scans every manifest. */
const searchDelayMs = 150;

export function ManifestFilters({
  search,
  counts = { failing: 0, deleted: 0 },
  onChange,
}: {
  search: AdminSearch;
  counts: Pick<ManifestCounts, 'failing' | 'deleted'> | undefined;
  onChange: (change: Pick<AdminSearch, 'q' | 'type' | 'status' | 'health'>, how: 'push' | 'replace') => void;
}) {
  const shown = search.health ?? (search.status === 'deleted' ? 'deleted' : '');
  return (
    <div
      role="search"
      aria-label="Manifests"
      className="grid grid-cols-2 gap-2 sm:grid-cols-[minmax(0,1fr)_auto_auto] lg:grid-cols-[minmax(0,1fr)_auto_auto_auto]"
    >
      <div className="max-lg:col-span-full">
        <SearchText
          label="Search manifests"
          placeholder="Search manifests"
          q={search.q}
          maxLength={maxSearchLength}
          delayMs={searchDelayMs}
          onChange={(q) => onChange({ q }, 'replace')}
        />
      </div>
      <Labelled label="Type">
        <Select
          aria-label="Connection type"
          className="w-full sm:w-32"
          options={typeOptions}
          value={search.type ?? ''}
          onChange={(type) => onChange({ type: type === '' ? undefined : type }, 'push')}
        />
      </Labelled>
      <Labelled label="Status">
        <Select
          aria-label="Status"
          className="w-full sm:w-28"
          options={statusOptions}
          value={search.status === 'deleted' ? '' : (search.status ?? '')}
          disabled={search.status === 'deleted'}
          onChange={(status) => onChange({ status: status === '' ? undefined : status }, 'push')}
        />
      </Labelled>
      <div className="max-sm:col-span-2">
        <Labelled label="Show">
          <Select
            aria-label="Show"
            className="w-full sm:w-36"
            options={shownOptions(counts)}
            value={shown}
            onChange={(value) =>
              onChange(
                {
                  health: value === 'failing' ? value : undefined,
                  status: value === 'deleted' ? value : search.status === 'deleted' ? undefined : search.status,
                },
                'push',
              )
            }
          />
        </Labelled>
      </div>
    </div>
  );
}

/** A visible label, since two selects both show 'All'. */
function Labelled({ label, children }: { label: string; children: ReactNode }) {
  return (
    <div className="flex items-center gap-2 sm:ml-2">
      <span aria-hidden className="shrink-0 text-[0.8125rem] text-quiet">
        {label}
      </span>
      <div className="min-w-0 flex-1">{children}</div>
    </div>
  );
}
