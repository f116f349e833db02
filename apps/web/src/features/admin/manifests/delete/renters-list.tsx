import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { counted, formatCount, formatMoney } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Checkbox } from '#ui/form/checkbox.tsx';
import { DayAndTime } from '#ui/text/moment.tsx';
import { Pagination } from '#ui/pagination.tsx';
import { NotLoaded } from '../../not-loaded.tsx';
import { rentersQuery, type Renter } from '../../server/server-queries.ts';
import { maxRefunds, sumOf, type ChosenRefunds } from './refunds.ts';

export type RentersListProps = {
  userId: string;
  id: string;
  /** undefined: lists the renters without refunds. */
  refunds?: { chosen: ChosenRefunds; onChange: (chosen: ChosenRefunds) => void } | undefined;
};

const none: ChosenRefunds = new Map();

/** Users who rent the server, by page, with the refund that can be chosen for each, and the sum of the chosen ones. */
export function RentersList({ userId, id, refunds }: RentersListProps) {
  const chosen = refunds?.chosen ?? none;
  const [page, setPage] = useState(1);
  // refunds shrink with the remaining time
  const query = useQuery({ ...rentersQuery(userId, id, page), staleTime: 0, refetchOnWindowFocus: false });
  if (!query.data) return <NotLoaded query={query} label="Loading renters…" />;
  const { renters, pagination } = query.data;
  if (pagination.total === 0) return <p className="text-quiet">No one rents this server.</p>;
  const choose = (those: readonly Renter[], on: boolean) => {
    const next = new Map(chosen);
    for (const { rentalId, refund } of those) {
      if (!on) next.delete(rentalId);
      else if (refund && (next.size < maxRefunds || next.has(rentalId))) next.set(rentalId, refund);
    }
    refunds?.onChange(next);
  };
  const refundable = renters.filter(({ refund }) => refund !== null);
  const allChosen = refundable.length > 0 && refundable.every(({ rentalId }) => chosen.has(rentalId));
  return (
    <section aria-labelledby="renters" className="flex flex-col gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 id="renters" className="font-medium">
          {counted(pagination.total, 'person rents it', 'people rent it')}
        </h3>
        {refunds && refundable.length > 1 && (
          <Button size="small" onClick={() => choose(refundable, !allChosen)}>
            {allChosen ? 'Refund none' : 'Refund all'}
            {pagination.pages > 1 && ' on this page'}
          </Button>
        )}
      </div>
      <ul className="flex max-h-72 flex-col divide-y divide-line overflow-y-auto rounded-md border border-line">
        {renters.map((renter) => (
          <li key={renter.rentalId} className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1 px-3 py-2">
            <div className="min-w-0 flex-1 basis-40">
              <div className="truncate font-medium" title={renter.user.email}>
                {renter.user.email}
              </div>
              <div className="text-[0.8125rem] text-quiet">
                {renter.endsAt === null ? (
                  'No end'
                ) : (
                  <>
                    {renter.source === 'payment' ? 'Paid until ' : 'Granted until '}
                    <DayAndTime moment={renter.endsAt} />
                  </>
                )}
              </div>
            </div>
            {refunds === undefined ? null : renter.refund ? (
              <Checkbox
                label={
                  <>
                    Refund {formatMoney(renter.refund.amountCents, renter.refund.currency)}
                    <span className="sr-only"> to {renter.user.email}</span>
                  </>
                }
                checked={chosen.has(renter.rentalId)}
                onChange={(on) => choose([renter], on)}
              />
            ) : (
              <span className="text-[0.8125rem] text-quiet">
                {renter.isDisputed ? 'Disputed: can’t be refunded' : 'Nothing was paid'}
              </span>
            )}
          </li>
        ))}
      </ul>
      <Pagination label="Renters" page={page} pageCount={pagination.pages} onChange={setPage} />
      {refunds && (
        <p role="status" className="tabular-nums">
          {chosen.size === 0 ? 'No refund is chosen.' : `${counted(chosen.size, 'refund')}, ${sumOf(chosen)} in total.`}
          {chosen.size >= maxRefunds && ` You can choose up to ${formatCount(maxRefunds)} refunds per deletion.`}
        </p>
      )}
    </section>
  );
}
