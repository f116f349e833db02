import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Pagination } from '#ui/pagination.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import { transactionsQuery } from './history-queries.ts';
import { TransactionList } from './transaction-list.tsx';

export function AllTransactions({ userId }: { userId: string }) {
  const [page, setPage] = useState(1);
  const list = useQuery(transactionsQuery(userId, page));
  if (list.isPending) return <ListSkeleton label="Loading your transactions…" />;
  if (list.isError) return <LoadError title="Failed to fetch transactions" query={list} />;
  const { transactions, pagination } = list.data;
  return (
    <>
      <TransactionList caption="All transactions" transactions={transactions} />
      <Pagination label="Transactions" page={page} pageCount={pagination.pages} onChange={setPage} />
    </>
  );
}
