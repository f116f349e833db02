import type { ReactNode } from 'react';
import { Select } from '#ui/select.tsx';
import { SearchText } from '#ui/search-text.tsx';
import { maxSearchLength, type AdminSearch } from '../admin-search.ts';

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

/** Each letter would be a search of every manifest. */
const askedAfterMs = 150;

/** Search and filters; each is a word in the address, and begins at the first page. */
export function ManifestFilters({
  search,
  onChange,
}: {
  search: AdminSearch;
  onChange: (change: Pick<AdminSearch, 'q' | 'type' | 'status'>, how: 'push' | 'replace') => void;
}) {
  return (
    <div role="search" aria-label="Manifests" className="grid grid-cols-2 gap-2 sm:grid-cols-[minmax(0,1fr)_auto_auto]">
      <div className="max-sm:col-span-2">
        <SearchText
          label="Search manifests"
          placeholder="Search manifests"
          q={search.q}
          maxLength={maxSearchLength}
          delayMs={askedAfterMs}
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
          value={search.status ?? ''}
          onChange={(status) => onChange({ status: status === '' ? undefined : status }, 'push')}
        />
      </Labelled>
    </div>
  );
}

/** Two selects that both read 'All' need their names in sight. */
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
