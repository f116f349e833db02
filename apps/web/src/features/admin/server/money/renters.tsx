import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatMoney } from '#ui/text/amount.ts';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { DayAndTime } from '#ui/text/moment.tsx';
import { Pagination } from '#ui/pagination.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { Section } from '../../section.tsx';
import { rentersQuery, type Renter } from '../server-queries.ts';

const columns: readonly TableColumn<Renter>[] = [
  {
    id: 'person',
    header: 'Person',
    rowHeader: true,
    cell: (renter) => (
      <div className="min-w-40 wrap-anywhere">
        <PersonName user={renter.user} />
        {renter.user.email !== renter.user.displayName && (
          <p className="text-[0.8125rem] font-normal text-quiet">{renter.user.email}</p>
        )}
        <div className="mt-0.5 text-[0.8125rem] font-normal text-quiet sm:hidden">
          <Facts>
            {sourceOf(renter)}
            {renter.endsAt === null ? (
              'No end'
            ) : (
              <>
                Paid until <DayAndTime moment={renter.endsAt} />
              </>
            )}
          </Facts>
          Refund if it ended now: {refundOf(renter)}
        </div>
      </div>
    ),
  },
  { id: 'source', header: 'From', wideOnly: true, cell: sourceOf },
  {
    id: 'ends',
    header: 'Paid until',
    wideOnly: true,
    cell: ({ endsAt }) => (endsAt === null ? 'No end' : <DayAndTime moment={endsAt} />),
  },
  { id: 'refund', header: 'Refund if it ended now', numeric: true, wideOnly: true, cell: refundOf },
];

/** Users who rent a server, by page. On a phone, the facts are below the name. */
export function Renters({ userId, serverId }: { userId: string; serverId: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery(rentersQuery(userId, serverId, page));
  const { data } = query;
  return (
    <Section id="server-renters" gap="gap-4" title="People who rent it">
      {!data && <NotLoaded query={query} label="Loading renters…" />}
      {data?.renters.length === 0 && <EmptyState title="No one rents this server" />}
      {data && data.renters.length > 0 && (
        <>
          <Table caption="Renters" columns={columns} rows={data.renters} rowKey={({ rentalId }) => rentalId} />
          <Pagination page={page} pageCount={data.pagination.pages} onChange={setPage} label="Renters" />
        </>
      )}
    </Section>
  );
}

function PersonName({ user: { id, displayName } }: Pick<Renter, 'user'>) {
  return (
    <TextLink
      dir="auto"
      to="/admin"
      search={{ tab: 'users', user: id }}
      tone="quiet"
      className="inline-flex min-h-6 items-center text-text!"
    >
      {displayName}
    </TextLink>
  );
}

function sourceOf({ source }: Renter): string {
  return source === 'payment' ? 'A payment' : 'An administrator';
}

function refundOf({ refund, isDisputed }: Renter): string {
  if (refund !== null) return formatMoney(refund.amountCents, refund.currency);
  return isDisputed ? 'None: disputed' : 'Nothing paid';
}
