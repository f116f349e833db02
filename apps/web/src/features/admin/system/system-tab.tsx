import { useQuery } from '@tanstack/react-query';
import { Notice } from '#ui/state/notice.tsx';
import type { AdminPartProps } from '../admin-screen.tsx';
import { failedToLoad, NotLoaded } from '../not-loaded.tsx';
import { Brokers } from './brokers.tsx';
import { Checks } from './checks.tsx';
import { Facts } from './facts.tsx';
import { JobsTable } from './jobs-table.tsx';
import { Settings } from './settings.tsx';
import { systemQuery } from './system-queries.ts';
import { Warnings } from './warnings.tsx';

export function SystemTab({ userId: adminId, search, onSearchChange }: AdminPartProps) {
  const query = useQuery(systemQuery(adminId));
  const { data, error } = query;
  const describe = failedToLoad('the system');
  if (!data) return <NotLoaded query={query} label="Loading the system…" rows={8} describe={describe} />;
  return (
    <div className="flex flex-col gap-10">
      {error && <Notice tone="bad">{`${describe(error).title}. Showing the last loaded state.`}</Notice>}
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
