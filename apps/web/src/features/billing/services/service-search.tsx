import { SearchField } from '#ui/form/search-field.tsx';
import { Select } from '#ui/form/select.tsx';
import { sells } from '#web/config.ts';
import type { ServiceKind, ServicesSearch } from '#web/navigation/services-search.ts';

const kinds: readonly { value: ServiceKind | 'all'; label: string }[] = [
  { value: 'all', label: 'All services' },
  { value: 'on', label: 'Switched on' },
  { value: 'free', label: 'Free' },
  { value: 'plan', label: 'In my plan' },
  { value: 'own', label: sells ? 'Rented, bought or tried' : 'Given to me' },
  { value: 'none', label: 'Not mine yet' },
];

type ServiceSearchProps = { search: ServicesSearch; onSearch: (next: ServicesSearch) => void };

/** Search and filter of the user's services. A change starts at the first page. */
export function ServiceSearch({ search, onSearch }: ServiceSearchProps) {
  const { q = '', show = 'all' } = search;
  const change = (text: string, kind: ServiceKind | 'all') =>
    onSearch({ ...(text !== '' && { q: text }), ...(kind !== 'all' && { show: kind }) });
  return (
    <div className="flex flex-wrap gap-2">
      <SearchField
        label="Search my services"
        placeholder="Search my services"
        value={q}
        onChange={(text) => change(text, show)}
        className="min-w-56 flex-1"
      />
      <Select
        aria-label="Show"
        options={kinds}
        value={show}
        onChange={(kind) => change(q, kind)}
        className="w-52 max-sm:w-full"
      />
    </div>
  );
}
