import type { CreditUsage as Charge } from '@souk/contract/billing-history.ts';
import { useQuery } from '@tanstack/react-query';
import { formatCount } from '#ui/amount.ts';
import { Card } from '#ui/card.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { ListSkeleton } from '#ui/list-skeleton.tsx';
import { Ago } from '#ui/moment.tsx';
import { SectionHeading } from '#ui/section-heading.tsx';
import { describeFailure } from '#web/failure-text.ts';
import { CsvButton } from './csv-button.tsx';
import { creditHistoryFile, creditHistoryQuery, spentCreditsQuery } from './history-queries.ts';

/** What calls have cost: in the last 30 days, and the newest ones. */
export function CreditUsage({ userId }: { userId: string }) {
  const spent = useQuery(spentCreditsQuery(userId));
  const newest = useQuery(creditHistoryQuery(userId));
  return (
    <section aria-labelledby="usage-heading" className="flex flex-col gap-4">
      <SectionHeading
        id="usage-heading"
        title="Calls that cost credits"
        text={spent.data !== undefined && `${creditCount(spent.data)} used in the last 30 days.`}
        actions={
          newest.data !== undefined &&
          newest.data.length > 0 && <CsvButton of="charged calls" load={() => creditHistoryFile(userId)} />
        }
      />
      <Charges userId={userId} />
    </section>
  );
}

function Charges({ userId }: { userId: string }) {
  const list = useQuery(creditHistoryQuery(userId));
  if (list.isPending) return <ListSkeleton label="Loading your charges…" />;
  if (list.isError) {
    const { title, reason } = describeFailure('Failed to fetch credit usage', list.error);
    return <ErrorState title={title} text={reason} onRetry={() => void list.refetch()} retrying={list.isFetching} />;
  }
  if (list.data.length === 0) return <p className="text-quiet">No call has cost credits yet.</p>;
  return (
    <Card padding="none">
      <ul aria-label="Recent charges" className="divide-y divide-line">
        {list.data.map((charge) => (
          <ChargeRow key={charge.id} {...charge} />
        ))}
      </ul>
    </Card>
  );
}

function ChargeRow({ mcpId, toolName, amount, timestamp }: Charge) {
  return (
    <li className="flex items-baseline justify-between gap-4 px-4 py-3">
      <span className="min-w-0">
        <span className="font-medium wrap-anywhere">{toolName}</span>
        <span className="block text-[0.8125rem] text-quiet">
          {mcpId !== null && `${mcpId} · `}
          <Ago moment={timestamp} />
        </span>
      </span>
      <span className="shrink-0 tabular-nums">{creditCount(amount)}</span>
    </li>
  );
}

const creditCount = (credits: number): string => (credits === 1 ? '1 credit' : `${formatCount(credits)} credits`);
