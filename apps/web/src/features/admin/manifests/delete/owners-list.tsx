import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { counted } from '#ui/text/amount.ts';
import { DayAndTime } from '#ui/text/moment.tsx';
import { Pagination } from '#ui/pagination.tsx';
import { adminApi, serverKey } from '../../admin-api.ts';
import { LoadFailed } from '../../not-loaded.tsx';

/** Users who bought or are trying a server, by page, and what they lose. Renders nothing if there are none. */
export function OwnersList({ userId, id }: { userId: string; id: string }) {
  const [page, setPage] = useState(1);
  const query = useQuery({
    queryKey: [...serverKey(userId, id), 'owners', page],
    queryFn: ({ signal }) => adminApi.listServerOwners({ params: { id }, query: { page } }, { signal }),
    placeholderData: keepPreviousData,
    staleTime: 0,
    refetchOnWindowFocus: false,
  });
  const { data } = query;
  if (query.error && !data) return <LoadFailed query={query} />;
  if (!data || data.pagination.total === 0) return null;
  const { owners, pagination } = data;
  return (
    <section aria-labelledby="owners" className="flex flex-col gap-2">
      <h3 id="owners" className="font-medium">
        {counted(pagination.total, 'person bought it or is trying it', 'people bought it or are trying it')}
      </h3>
      <p className="text-quiet">
        They lose it immediately, without a refund. They get it back if it is deployed again; trials still end on time.
      </p>
      <ul className="flex max-h-56 flex-col divide-y divide-line overflow-y-auto rounded-md border border-line">
        {owners.map(({ id: ownerId, user, kind, endsAt }) => (
          <li key={ownerId} className="flex flex-wrap justify-between gap-x-4 px-3 py-2">
            <span className="min-w-0 truncate font-medium" title={user.email}>
              {user.email}
            </span>
            <span className="text-[0.8125rem] text-quiet">
              {kind === 'purchase' ? 'Purchased' : 'Trial'}
              {endsAt !== null && (
                <>
                  , until <DayAndTime moment={endsAt} />
                </>
              )}
            </span>
          </li>
        ))}
      </ul>
      <Pagination
        label="People who bought it or are trying it"
        page={page}
        pageCount={pagination.pages}
        onChange={setPage}
      />
    </section>
  );
}
