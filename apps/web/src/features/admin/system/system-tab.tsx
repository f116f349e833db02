import { useQuery } from '@tanstack/react-query';
import { ErrorState } from '#ui/state/error-state.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { describeFailure } from '#web/texts/failure-text.ts';
import type { AdminPartProps } from '../admin-screen.tsx';
import { Brokers } from './brokers.tsx';
import { Checks } from './checks.tsx';
import { Facts } from './facts.tsx';
import { JobsTable } from './jobs-table.tsx';
import { Settings } from './settings.tsx';
import { systemQuery } from './system-queries.ts';
import { Warnings } from './warnings.tsx';

/** 'System': how this installation is, and the configuration in force. */
export function SystemTab({ userId: adminId, search, onSearchChange }: AdminPartProps) {
  const { data, error, isFetching, refetch } = useQuery(systemQuery(adminId));
  if (!data && !error) return <ListSkeleton label="Loading the system…" rows={8} />;
  const failure = error && describeFailure('Failed to load the system', error);
  if (!data)
    return (
      <ErrorState
        title={failure?.title ?? ''}
        text={failure?.reason}
        onRetry={() => void refetch()}
        retrying={isFetching}
      />
    );
  return (
    <div className="flex flex-col gap-10">
      {failure && <Notice tone="bad">{`${failure.title}. Shown is what was read before.`}</Notice>}
      <Warnings warnings={data.warnings} />
      <Facts system={data} />
      <Checks />
      <Brokers brokers={data.brokers} />
      <JobsTable jobs={data.jobs} />
      <Settings
        settings={data.settings}
        q={search.q}
        isAll={search.group === 'all'}
        onChange={(part) => onSearchChange({ ...search, ...part }, 'replace')}
      />
    </div>
  );
}
