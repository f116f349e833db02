import type { LedgerEntry, LedgerKind } from '@souk/contract/admin/person.ts';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { formatCount, formatMoment } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Select } from '#ui/form/select.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { Stat } from '#ui/picture/stat.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { failureLine } from '#web/texts/failure-text.ts';
import { At } from '../at.tsx';
import { CallsTable } from './calls-table.tsx';
import { PagedList } from './paged-list.tsx';
import { ledgerCallsQuery, ledgerQuery, type PersonListProps, type PersonPartProps } from './person-queries.ts';

const words: Readonly<Record<LedgerKind, string>> = {
  plan: 'Credits of the plan',
  promotional: 'Promotion',
  purchased: 'Purchase',
  usage: 'Calls',
  expiry: 'Expired',
  refund: 'Clawed back: refund',
  dispute: 'Clawed back: dispute',
  adjustment: 'Set by an administrator',
};

const shows = [
  { value: 'all', label: 'Everything' },
  { value: 'changes', label: 'Without calls' },
] as const;

/** The balance of a user, and the ledger, whose entries open their calls or payment. */
export function CreditsPart({
  adminId,
  personId,
  search,
  onChange,
  onPayment,
}: PersonListProps & { onPayment: (paymentId: string) => void }) {
  const list = useQuery(ledgerQuery(adminId, personId, search));
  const [opened, setOpened] = useState<string>();
  const credits = list.data?.credits;
  const figures = [
    { label: 'Balance', value: credits?.balance },
    { label: 'Plan', value: credits?.plan },
    { label: 'Promotional', value: credits?.promotional },
    { label: 'Purchased', value: credits?.purchased },
    { label: 'Held by calls', value: credits?.held },
    { label: 'Owed', value: credits?.debt },
  ];
  const columns = columnsWith((entry) => (
    <OpenButton
      entry={entry}
      isOpen={opened === entry.id}
      onToggle={() => setOpened(opened === entry.id ? undefined : entry.id)}
      onPayment={onPayment}
    />
  ));
  return (
    <div className="flex flex-col gap-6">
      <dl aria-label="Credits" className="grid grid-cols-2 gap-4 sm:grid-cols-3 lg:grid-cols-6">
        {figures.map(({ label, value }) => (
          <Stat
            key={label}
            label={label}
            value={value === undefined ? <Skeleton className="h-7 w-12" /> : formatCount(value)}
          />
        ))}
      </dl>
      <div className="flex flex-col gap-4">
        <div className="flex flex-wrap items-center justify-between gap-3">
          <h3 className="font-semibold">Ledger</h3>
          <Select
            aria-label="Entries"
            className="w-40"
            options={shows}
            value={search.show ?? 'all'}
            onChange={(show) => onChange({ show: show === 'all' ? undefined : show })}
          />
        </div>
        <PagedList
          list={list}
          label="entries"
          search={search}
          onChange={onChange}
          count={({ entries }) => entries.length}
          empty={{ title: 'No entries yet', text: 'Changes of credits appear here.' }}
        >
          {({ entries }) => (
            <Table
              caption="Ledger"
              columns={columns}
              rows={entries}
              rowKey={({ id }) => id}
              below={({ id }) => id === opened && <CallsOf adminId={adminId} personId={personId} entryId={id} />}
            />
          )}
        </PagedList>
      </div>
    </div>
  );
}

/** The columns of the ledger. The button has its own column, or is below the name on a phone. */
const columnsWith = (openButton: (entry: LedgerEntry) => ReactNode): TableColumn<LedgerEntry>[] => [
  {
    id: 'what',
    header: 'Entry',
    rowHeader: true,
    cell: (entry) => (
      <div className="min-w-32">
        {nameOf(entry)}
        {entry.reason !== null && (
          <div dir="auto" className="max-w-prose text-[0.8125rem] font-normal wrap-anywhere text-quiet">
            {entry.reason}
          </div>
        )}
        <time dateTime={entry.at} className="block text-[0.8125rem] font-normal whitespace-nowrap text-quiet sm:hidden">
          {formatMoment(entry.at)}
        </time>
        <div className="mt-1 empty:hidden sm:hidden">{openButton(entry)}</div>
      </div>
    ),
  },
  { id: 'time', header: 'Time', wideOnly: true, cell: ({ at }) => <At moment={at} /> },
  { id: 'change', header: 'Credits', numeric: true, cell: ({ change }) => <Change change={change} /> },
  {
    id: 'after',
    header: 'Balance after',
    numeric: true,
    wideOnly: true,
    cell: ({ balanceAfter }) => formatCount(balanceAfter),
  },
  {
    id: 'open',
    header: 'Details',
    hideHeader: true,
    numeric: true,
    wideOnly: true,
    cell: openButton,
  },
];

/** Opens the payment of an entry, or its calls below it. Renders nothing if it has neither. */
function OpenButton({
  entry: { calls, payment, at },
  isOpen,
  onToggle,
  onPayment,
}: {
  entry: LedgerEntry;
  isOpen: boolean;
  onToggle: () => void;
  onPayment: (paymentId: string) => void;
}) {
  if (payment) {
    return (
      <Button size="small" onClick={() => onPayment(payment.id)}>
        Payment<span className="sr-only">: {payment.description}</span>
      </Button>
    );
  }
  if (calls === 0) return null;
  return (
    <Button size="small" aria-expanded={isOpen} onClick={onToggle}>
      {calls === 1 ? 'Call' : 'Calls'}
      <span className="sr-only"> of {formatMoment(at)}</span>
    </Button>
  );
}

function nameOf({ kind, calls }: LedgerEntry): string {
  if (kind !== 'usage') return words[kind];
  return calls > 1 ? `${formatCount(calls)} calls` : 'Call';
}

function Change({ change }: { change: number }) {
  const text = `${change > 0 ? '+' : ''}${formatCount(change)}`;
  return <span className={change > 0 ? 'font-medium text-good' : 'font-medium'}>{text}</span>;
}

function CallsOf({ adminId, personId, entryId }: PersonPartProps & { entryId: string }) {
  const { data, error } = useQuery(ledgerCallsQuery(adminId, personId, entryId));
  if (error) return <p className="text-bad">{failureLine('Failed to load calls', error)}</p>;
  if (!data) return <Skeleton className="h-10 w-64" />;
  if (data.calls.length === 0) return <p className="text-quiet">These calls are older than the call log.</p>;
  return <CallsTable caption="Calls of this entry" calls={data.calls} />;
}
