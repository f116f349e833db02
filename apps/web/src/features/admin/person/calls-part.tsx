import { useQuery } from '@tanstack/react-query';
import { useId, useState, type FormEvent } from 'react';
import { Button } from '#ui/button.tsx';
import { Field } from '#ui/form/field.tsx';
import { Input } from '#ui/form/input.tsx';
import { Select } from '#ui/form/select.tsx';
import { callOutcomes } from '../admin-search.ts';
import { CallsTable, outcomeWords } from './calls-table.tsx';
import { PagedList } from './paged-list.tsx';
import { callsQuery, type PersonListProps } from './person-queries.ts';

const outcomeOptions = [
  { value: '', label: 'All' },
  ...callOutcomes.map((value) => ({ value, label: outcomeWords[value] })),
] as const;

export function CallsPart({ adminId, personId, search, onChange }: PersonListProps) {
  const list = useQuery(callsQuery(adminId, personId, search));
  const { service, outcome, from, to } = search;
  const isNarrowed = [service, outcome, from, to].some(Boolean);
  const clear = () => onChange({ service: undefined, outcome: undefined, from: undefined, to: undefined });
  return (
    <div className="flex flex-col gap-4">
      {/* keyed by the address, so that Back restores the filters */}
      <Filters key={JSON.stringify([service, from, to])} search={search} onChange={onChange} />
      <PagedList
        list={list}
        label="calls"
        search={search}
        onChange={onChange}
        count={({ calls }) => calls.length}
        empty={
          isNarrowed
            ? {
                title: 'No call matches these filters',
                actions: <Button onClick={clear}>Clear filters</Button>,
              }
            : { title: 'No calls yet', text: 'This user’s calls appear here within a second.' }
        }
      >
        {({ calls }) => <CallsTable caption="Calls" calls={calls} />}
      </PagedList>
    </div>
  );
}

function Filters({ search, onChange }: Pick<PersonListProps, 'search' | 'onChange'>) {
  const id = useId();
  const [service, setService] = useState(search.service ?? '');
  const [from, setFrom] = useState(search.from ?? '');
  const [to, setTo] = useState(search.to ?? '');
  const orNone = (text: string) => (text.trim() === '' ? undefined : text.trim());
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange({ service: orNone(service), from: orNone(from), to: orNone(to) });
  };
  return (
    <form
      id={id}
      role="search"
      aria-label="Calls"
      onSubmit={submit}
      className="grid grid-cols-2 items-end gap-3 sm:grid-cols-[minmax(0,1fr)_9rem_9.5rem_9.5rem_auto]"
    >
      <div className="max-sm:col-span-2">
        <Field label="Service">
          <Input
            value={service}
            maxLength={63}
            autoComplete="off"
            placeholder="Its id, such as travel"
            onChange={(event) => setService(event.target.value)}
          />
        </Field>
      </div>
      <div className="max-sm:col-span-2">
        <Field label="Outcome">
          <Select
            options={outcomeOptions}
            value={search.outcome ?? ''}
            onChange={(outcome) => onChange({ outcome: outcome === '' ? undefined : outcome })}
          />
        </Field>
      </div>
      <Field label="From (UTC)">
        <Input type="date" value={from} onChange={(event) => setFrom(event.target.value)} />
      </Field>
      <Field label="To (UTC)">
        <Input type="date" value={to} onChange={(event) => setTo(event.target.value)} />
      </Field>
      <Button type="submit" className="max-sm:col-span-2">
        Apply
      </Button>
    </form>
  );
}
