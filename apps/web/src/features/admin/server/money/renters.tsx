import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#ui/amount.ts';
import { EmptyState } from '#ui/empty-state.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { ListSkeleton } from '#ui/list-skeleton.tsx';
import { DayAndTime } from '#ui/moment.tsx';
import { Pagination } from '#ui/pagination.tsx';
import { SectionHeading } from '#ui/section-heading.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { TextLink } from '#ui/text-link.tsx';
import { failureText } from '#web/failure-text.ts';
import { rentersQuery, type Renter } from '../server-queries.ts';

const columns: readonly TableColumn<Renter>[] = [
  {
    id: 'person',
    header: 'Person',
    rowHeader: true,
    cell: ({ user }) => (
      <div className="min-w-40 wrap-anywhere">
        <TextLink dir="auto" to="/admin" search={{ tab: 'users', user: user.id }} tone="quiet" className="text-text!">
          {user.displayName}
        </TextLink>
        {user.email !== user.displayName && <p className="text-[0.8125rem] font-normal text-quiet">{user.email}</p>}
      </div>
    ),
  },
  {
    id: 'source',
    header: 'From',
    cell: ({ source }) => (source === 'payment' ? 'A payment' : 'An administrator'),
    wideOnly: true,
  },
  {
    id: 'ends',
    header: 'Paid until',
    cell: ({ endsAt }) => (endsAt === null ? 'No end' : <DayAndTime moment={endsAt} />),
  },
  {
    id: 'refund',
    header: 'Refund if it ended now',
    numeric: true,
    cell: ({ refund, isDisputed }) =>
      refund !== null
        ? formatMoney(refund.amountCents, refund.currency)
        : isDisputed
          ? 'Disputed, none'
          : 'Nothing paid',
  },
];

/** Who rents a server now, by pages. */
export function Renters({ userId, serverId }: { userId: string; serverId: string }) {
  const [page, setPage] = useState(1);
  const { data, error, refetch, isFetching } = useQuery(rentersQuery(userId, serverId, page));
  return (
    <section aria-labelledby="server-renters" className="flex flex-col gap-4">
      <SectionHeading id="server-renters" title="People who rent it" />
      {!data && error && <ErrorState title={failureText(error)} onRetry={() => void refetch()} retrying={isFetching} />}
      {!data && !error && <ListSkeleton label="Loading renters…" />}
      {data?.renters.length === 0 && <EmptyState title="No one rents this server" />}
      {data && data.renters.length > 0 && (
        <>
          <Table caption="Renters" columns={columns} rows={data.renters} rowKey={({ rentalId }) => rentalId} />
          <Pagination page={page} pageCount={data.pagination.pages} onChange={setPage} label="Renters" />
        </>
      )}
    </section>
  );
}
