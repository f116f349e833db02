import { useQuery } from '@tanstack/react-query';
import Receipt from 'lucide-react/icons/receipt';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { useState } from 'react';
import { formatCount, formatMoney } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { Stat } from '#ui/picture/stat.tsx';
import { AllTransactions } from './all-transactions.tsx';
import { CsvButton } from '#web/loading/csv-button.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import { billingDashboardQuery, transactionsFile } from './history-queries.ts';
import { TransactionList } from './transaction-list.tsx';

/** Spec part 2, section 9. */
const shownTransactions = 5;

export function BillingHistory({ userId }: { userId: string }) {
  const { data, refetch, isFetching } = useQuery(billingDashboardQuery(userId));
  return (
    <TitledSection
      id="history-heading"
      title="Billing History"
      actions={
        <div className="flex flex-wrap gap-2">
          {data !== undefined && data.totalTransactions > 0 && (
            <CsvButton of="transactions" load={() => transactionsFile(userId)} />
          )}
          <Button icon={<RotateCw aria-hidden size={16} />} loading={isFetching} onClick={() => void refetch()}>
            Refresh
          </Button>
        </div>
      }
    >
      <History userId={userId} />
    </TitledSection>
  );
}

function History({ userId }: { userId: string }) {
  const dashboard = useQuery(billingDashboardQuery(userId));
  const [showsAll, setShowsAll] = useState(false);
  // the query is paused while the browser is offline
  if (dashboard.isPending && dashboard.isPaused)
    return <p className="text-quiet">Click refresh to load your billing history</p>;
  if (dashboard.isPending) return <ListSkeleton label="Loading your billing history…" />;
  if (dashboard.isError) {
    const text = 'Unable to load billing history. Please try again later.';
    return <LoadError title="Failed to fetch billing dashboard" text={text} query={dashboard} />;
  }
  const { totalSpent, currency, totalTransactions, recentTransactions } = dashboard.data;
  if (totalTransactions === 0) {
    return (
      <EmptyState
        icon={<Receipt aria-hidden />}
        title="No Transaction History"
        text="Payments and refunds appear here, with their receipts."
      />
    );
  }
  const shown = recentTransactions.slice(0, shownTransactions);
  return (
    <>
      <Card padding="large">
        <dl className="grid grid-cols-3 gap-6">
          <Stat label="Total spent" value={formatMoney(totalSpent, currency)} />
          <Stat label="Transactions" value={formatCount(totalTransactions)} />
          <Stat label="Recent" value={formatCount(recentTransactions.length)} />
        </dl>
      </Card>
      {showsAll ? (
        <AllTransactions userId={userId} />
      ) : (
        <>
          <TransactionList caption="Recent transactions" transactions={shown} />
          {totalTransactions > shown.length && (
            <div className="flex flex-wrap items-center justify-between gap-3 text-[0.8125rem] text-quiet">
              <span>
                Showing {shown.length} of {formatCount(recentTransactions.length)} recent transactions
              </span>
              <Button size="small" onClick={() => setShowsAll(true)}>
                Show all
              </Button>
            </div>
          )}
        </>
      )}
    </>
  );
}
