import { useQuery } from '@tanstack/react-query';
import { formatCount } from '#ui/text/amount.ts';
import { formatDistance } from '#ui/text/distance.ts';
import { useTick } from '#ui/use-tick.ts';
import { describeFailure } from '#web/texts/failure-text.ts';
import { tokenStatsQuery } from '../queries.ts';

/** One line below the list: "2 active · 1 expired · 3 revoked · last used 5 minutes ago". */
export function TokenStats({ userId }: { userId: string }) {
  useTick();
  const query = useQuery(tokenStatsQuery(userId));
  // reserves the line while it loads
  if (query.isPending) return <p className="h-5" />;
  if (query.isError) {
    const { title, reason } = describeFailure('Failed to fetch PAT stats', query.error);
    return (
      <p role="alert" className="text-bad">
        {reason === undefined ? title : `${title}: ${reason}`}{' '}
        <button type="button" className="rounded-sm underline" onClick={() => void query.refetch()}>
          Retry
        </button>
      </p>
    );
  }
  const { total, active, expired, revoked, lastUsedAt } = query.data.stats;
  if (total === 0) return null;
  const facts = [
    `${formatCount(active)} active`,
    expired > 0 && `${formatCount(expired)} expired`,
    revoked > 0 && `${formatCount(revoked)} revoked`,
    lastUsedAt === null ? 'never used' : `last used ${formatDistance(lastUsedAt, Date.now())}`,
  ];
  return <p className="text-[0.8125rem] text-quiet tabular-nums">{facts.filter(Boolean).join(' · ')}</p>;
}
