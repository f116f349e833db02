import { useQuery } from '@tanstack/react-query';
import X from 'lucide-react/icons/x';
import { Button } from '#ui/button.tsx';
import { SearchText } from '#ui/text/search-text.tsx';
import { Select } from '#ui/form/select.tsx';
import { maxSearchLength, type AdminSearch } from '../admin-search.ts';
import { plansQuery } from './user-queries.ts';

const roleOptions = [
  { value: '', label: 'Role' },
  { value: 'user', label: 'User' },
  { value: 'admin', label: 'Admin' },
] as const;
const activeOptions = [
  { value: '', label: 'Status' },
  { value: 'true', label: 'Active' },
  { value: 'false', label: 'Inactive' },
] as const;

export type UserFiltersProps = {
  search: AdminSearch;
  /** @param how replace while typing; push for a choice that Back returns from */
  onChange: (change: AdminSearch, how: 'push' | 'replace') => void;
};

export function UserFilters({ search, onChange }: UserFiltersProps) {
  const q = search.q ?? '';
  const searchAll = (text: string) => {
    const all = text.trim();
    if (all !== '') onChange({ q: undefined, all, page: undefined }, 'push');
  };
  return (
    <div className="flex flex-wrap items-start gap-2">
      <div className="flex min-w-0 flex-1 basis-72 flex-col items-start gap-2">
        <SearchText
          label="Search users on this page by email or username"
          placeholder="Search by email or username"
          className="w-full"
          q={search.q}
          maxLength={maxSearchLength}
          onChange={(text) => onChange({ q: text }, 'replace')}
          onSubmit={searchAll}
        />
        {q !== '' && (
          <Button size="small" onClick={() => searchAll(q)}>
            Search all users
          </Button>
        )}
        {search.all !== undefined && (
          <p className="inline-flex max-w-full items-center gap-1 rounded-md bg-accent-soft py-0.5 pr-0.5 pl-2 text-[0.8125rem]">
            <span className="truncate">All users that begin with “{search.all}”</span>
            <button
              type="button"
              aria-label="Show all users again"
              onClick={() => onChange({ all: undefined, page: undefined }, 'push')}
              className="inline-flex size-6 shrink-0 items-center justify-center rounded-md text-quiet hover:bg-hover hover:text-text"
            >
              <X aria-hidden size={14} />
            </button>
          </p>
        )}
      </div>
      <div role="group" aria-label="Filters" className="grid grid-cols-3 gap-2 max-sm:w-full sm:flex">
        <Select
          aria-label="Role"
          className="sm:w-28"
          options={roleOptions}
          value={search.role ?? ''}
          onChange={(role) => onChange({ role: role === '' ? undefined : role, page: undefined }, 'push')}
        />
        <Select
          aria-label="Status"
          className="sm:w-28"
          options={activeOptions}
          value={search.active ?? ''}
          onChange={(active) => onChange({ active: active === '' ? undefined : active, page: undefined }, 'push')}
        />
        <PlanFilter search={search} onChange={onChange} />
      </div>
    </div>
  );
}

function PlanFilter({ search: { plan }, onChange }: UserFiltersProps) {
  const { data: plans = [] } = useQuery(plansQuery);
  const known = plans.map(({ planId, name }) => ({ value: planId, label: name }));
  const options = [
    { value: '', label: 'Plan' },
    ...known,
    // the address may name a plan that is no longer sold
    ...(plan === undefined || known.some(({ value }) => value === plan) ? [] : [{ value: plan, label: plan }]),
  ];
  return (
    <Select
      aria-label="Plan"
      className="sm:w-32"
      options={options}
      value={plan ?? ''}
      onChange={(value) => onChange({ plan: value === '' ? undefined : value, page: undefined }, 'push')}
    />
  );
}
