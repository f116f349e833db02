import { builtInTools, type UsageStats } from '@souk/contract/usage.ts';
import { useQuery } from '@tanstack/react-query';
import ChartColumn from 'lucide-react/icons/chart-column';
import RotateCw from 'lucide-react/icons/rotate-cw';
import type { ReactNode } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { Stat } from '#ui/picture/stat.tsx';
import { CsvButton } from '#web/loading/csv-button.tsx';
import { LoadError } from '#web/loading/load-error.tsx';
import { CallsByDay } from './calls-by-day.tsx';
import { RecentActivity } from './recent-activity.tsx';
import { activityQuery, creditHistoryFile, noUsage, usageQuery } from './usage-queries.ts';
import { UsedServices } from './used-services.tsx';

/** The Usage tab: the calls of the user's assistants in the last 30 days, and their cost. */
export function UsageScreen({ userId, creditWorth }: { userId: string; creditWorth: ReactNode }) {
  const stats = useQuery(usageQuery(userId));
  const activity = useQuery(activityQuery(userId));
  const refresh = () => void Promise.all([stats.refetch(), activity.refetch()]);
  return (
    <TitledSection
      id="usage-heading"
      title="Credit Usage"
      text={
        <>
          The last 30 days.
          {/* reserves the space of the time, so that the button does not move */}
          {!stats.isError && (
            <span className={stats.isPending ? 'opacity-0' : ''} aria-hidden={stats.isPending}>
              {' '}
              Updated <Ago moment={new Date(stats.dataUpdatedAt || Date.now()).toISOString()} />.
            </span>
          )}
        </>
      }
      actions={
        <div className="flex flex-wrap gap-2">
          {activity.data?.hasCharges && <CsvButton of="charged calls" load={() => creditHistoryFile(userId)} />}
          <Button
            icon={<RotateCw aria-hidden size={16} />}
            loading={stats.isFetching || activity.isFetching}
            onClick={refresh}
          >
            Refresh
          </Button>
        </div>
      }
    >
      {creditWorth}
      {stats.isPending || activity.isPending ? (
        <ListSkeleton label="Loading your usage…" isScreen />
      ) : (
        <>
          {stats.isError && (
            <Notice tone="bad">
              {stats.data
                ? "Your usage couldn't be refreshed."
                : "Your usage couldn't be loaded, so its figures show zero."}
            </Notice>
          )}
          <Usage
            stats={stats.data ?? noUsage}
            calls={activity.data?.newest}
            isKnown={stats.isSuccess}
            failure={activity.isError && <LoadError title="Failed to fetch credit usage" query={activity} />}
          />
        </>
      )}
    </TitledSection>
  );
}

type UsageProps = {
  stats: UsageStats;
  calls: Parameters<typeof RecentActivity>[0]['calls'] | undefined;
  /** The figures are the broker's, not the zeros that replace them. */
  isKnown: boolean;
  failure: ReactNode;
};

function Usage({ stats, calls, isKnown, failure }: UsageProps) {
  if (isKnown && stats.totalToolCalls === 0 && calls?.length === 0) {
    return (
      <EmptyState
        icon={<ChartColumn aria-hidden />}
        title="No usage data available"
        text="What your assistants call appears here, with what it cost."
        actions={
          <LinkButton to="/dashboard" search={{ tab: 'connections' }}>
            Connect a client
          </LinkButton>
        }
      />
    );
  }
  const used = stats.usageByMcp.filter(({ answeredToolCalls }) => answeredToolCalls > 0);
  return (
    <div className="flex flex-col gap-10">
      <Card padding="large" className="flex flex-col gap-6">
        <dl className="grid grid-cols-2 gap-6 lg:grid-cols-4">
          <Stat label="Credits used" value={formatCount(stats.totalCreditsUsed)} />
          <Stat
            label="MCP servers used"
            value={formatCount(used.filter(({ mcpId }) => mcpId !== builtInTools).length)}
          />
          <Stat label="Tool calls" value={formatCount(stats.answeredToolCalls)} hint={unansweredText(stats)} />
          <Stat label="Average cost" value={stats.averageCost.toFixed(2)} hint="credits per call" />
        </dl>
        {stats.answeredToolCalls > 0 && <CallsByDay days={stats.usageByDay} services={stats.usageByMcpAndDay} />}
      </Card>
      {used.length > 0 && <UsedServices services={used} />}
      <TitledSection id="activity-heading" title="Recent Activity">
        {failure || <RecentActivity calls={calls ?? []} />}
      </TitledSection>
    </div>
  );
}

/** Refused and failed calls cost nothing, and are counted separately. */
function unansweredText({ totalToolCalls, answeredToolCalls }: UsageStats): string | undefined {
  // the schema allows more answers than calls
  const unanswered = totalToolCalls - answeredToolCalls;
  return unanswered <= 0 ? undefined : `${formatCount(unanswered)} more refused or failed`;
}
