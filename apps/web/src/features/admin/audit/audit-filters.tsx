import { auditGroupNames, auditGroups } from '@souk/contract/admin/audit-actions.ts';
import X from 'lucide-react/icons/x';
import { Button } from '#ui/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { SearchText } from '#ui/text/search-text.tsx';
import { Select } from '#ui/form/select.tsx';
import { maxSearchLength, type AdminSearch } from '../admin-search.ts';
import { config } from '#web/config.ts';

const actors = [
  { value: '', label: 'Anyone' },
  { value: 'people', label: 'Any user' },
  { value: 'operators', label: 'Command line' },
  { value: 'broker', label: config.brandName },
];
const groups = [
  { value: '', label: 'Any action' },
  ...auditGroupNames.map((value) => ({ value, label: auditGroups[value] })),
];

export const unfiltered: AdminSearch = {
  who: undefined,
  group: undefined,
  object: undefined,
  from: undefined,
  to: undefined,
  cursor: undefined,
  side: undefined,
};

export const isFiltered = ({ who, group, object, from, to }: AdminSearch) =>
  [who, group, object, from, to].some(Boolean);

export function AuditFilters({
  search,
  actorName,
  onChange,
}: {
  search: AdminSearch;
  /** Name of the actor in the address, if the list shows it. */
  actorName: string | undefined;
  onChange: (change: AdminSearch, how: 'push' | 'replace') => void;
}) {
  const { who = '', group = '' } = search;
  const isKind = actors.some(({ value }) => value === who);
  const choose = (change: AdminSearch, how: 'push' | 'replace' = 'push') =>
    onChange({ ...change, cursor: undefined, side: undefined }, how);
  return (
    <div className="flex flex-wrap items-end gap-x-2 gap-y-3">
      <SearchText
        label="Search by object: the beginning of an id or e-mail address"
        placeholder="Object: id or e-mail address"
        className="min-w-0 flex-1 basis-64"
        q={search.object}
        maxLength={maxSearchLength}
        delayMs={250}
        onChange={(object) => choose({ object }, 'replace')}
      />
      <Select
        aria-label="Who"
        className="flex-1 basis-36 sm:max-w-52"
        value={who}
        options={isKind ? actors : [...actors, { value: who, label: actorName ?? who }]}
        onChange={(value) => choose({ who: value === '' ? undefined : value })}
      />
      <Select
        aria-label="Action"
        className="flex-1 basis-36 sm:max-w-52"
        value={groups.some(({ value }) => value === group) ? group : ''}
        options={groups}
        onChange={(value) => choose({ group: value === '' ? undefined : value })}
      />
      <div className="flex min-w-0 flex-1 basis-80 items-center gap-2 sm:max-w-96">
        {(['from', 'to'] as const).map((name) => (
          <div key={name} className="flex min-w-0 flex-1 items-center gap-2 [&>:last-child]:flex-1">
            {name === 'to' && (
              <span aria-hidden className="text-quiet">
                to
              </span>
            )}
            <Field label={name === 'from' ? 'From' : 'To'} hideLabel>
              <Input
                type="date"
                min="1970-01-01"
                max="9998-12-31"
                title={name === 'from' ? 'From this day' : 'To this day'}
                value={search[name] ?? ''}
                onChange={({ target }) => choose({ [name]: target.value === '' ? undefined : target.value })}
              />
            </Field>
          </div>
        ))}
      </div>
      {isFiltered(search) && (
        <Button icon={<X aria-hidden size={15} />} onClick={() => onChange(unfiltered, 'push')}>
          Clear
        </Button>
      )}
    </div>
  );
}
