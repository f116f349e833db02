import { serverKinds } from '@souk/contract/catalogue/registries.ts';
import { SearchText } from '#ui/text/search-text.tsx';
import { Select } from '#ui/form/select.tsx';
import { maxSearchLength, type AdminSearch } from '../admin-search.ts';
import { kindNames } from './registry-server.tsx';

const kindOptions = [
  { value: '', label: 'All kinds' },
  ...serverKinds.map((kind) => ({ value: kind, label: kindNames[kind] })),
];
const onlyOptions = [
  { value: '', label: 'Hide deprecated' },
  { value: 'importable', label: 'Importable only' },
  { value: 'all', label: 'All' },
] as const;
const sinceOptions = [
  { value: '', label: 'Any time' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
] as const;

/** Pause in typing before a search, since each one is a request to the registry. */
const searchDelayMs = 400;

export function RegistryFilters({
  search,
  onChange,
}: {
  search: AdminSearch;
  onChange: (change: Pick<AdminSearch, 'q' | 'kind' | 'only' | 'since'>, how: 'push' | 'replace') => void;
}) {
  return (
    <div
      role="search"
      aria-label="Registry"
      className="grid grid-cols-2 gap-2 sm:grid-cols-[minmax(0,1fr)_auto_auto_auto]"
    >
      <div className="max-sm:col-span-2">
        <SearchText
          label="Search the registry"
          placeholder="Search by name"
          q={search.q}
          maxLength={maxSearchLength}
          delayMs={searchDelayMs}
          onChange={(q) => onChange({ q }, 'replace')}
        />
      </div>
      <Select
        aria-label="Kind"
        className="w-full sm:w-32"
        options={kindOptions}
        value={search.kind ?? ''}
        onChange={(kind) => onChange({ kind: serverKinds.find((one) => one === kind) }, 'push')}
      />
      <Select
        aria-label="Changed"
        className="w-full sm:w-36"
        options={sinceOptions}
        value={search.since ?? ''}
        onChange={(since) => onChange({ since: since === '' ? undefined : since }, 'push')}
      />
      <div className="max-sm:col-span-2">
        <Select
          aria-label="Which servers"
          className="w-full sm:w-44"
          options={onlyOptions}
          value={search.only ?? ''}
          onChange={(only) => onChange({ only: only === '' ? undefined : only }, 'push')}
        />
      </div>
    </div>
  );
}
