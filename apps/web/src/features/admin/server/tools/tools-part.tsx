import type { AdminTool } from '@souk/contract/admin/servers.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { SearchField } from '#ui/form/search-field.tsx';
import { SectionHeading } from '#ui/text/section-heading.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { moreThatAsk } from '#web/texts/tools-that-ask.ts';
import { toolsQuery, type ServerPartProps } from '../server-queries.ts';
import { ReviewQueue } from './review-queue.tsx';
import { ToolsTable } from './tools-table.tsx';

/** A look finds each of fewer tools. */
const searchFrom = 9;

/** The tools of a server: what they cost, how they do, and what waits for a review. */
export function ToolsPart(part: ServerPartProps) {
  const { userId, serverId, shown } = part;
  const { data, error, refetch, isFetching } = useQuery(toolsQuery(userId, serverId));
  const [search, setSearch] = useState('');
  if (!data) {
    return error ? (
      <ErrorState title={failureText(error)} onRetry={() => void refetch()} retrying={isFetching} />
    ) : (
      <ListSkeleton label="Loading tools…" />
    );
  }
  const { tools, pricedButMissing } = data;
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const found = tools.filter(({ name, exposedName, title, description }) => {
    const text = `${name} ${exposedName} ${title ?? ''} ${description}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const changes = tools.flatMap(({ pendingChange }) => pendingChange ?? []);
  const hidden = tools.flatMap(({ keptHidden }) => keptHidden?.change ?? []);
  return (
    <div className="flex flex-col gap-8">
      {changes.length > 0 && <ReviewQueue userId={userId} state="under-review" changes={changes} />}
      {hidden.length > 0 && <ReviewQueue userId={userId} state="kept-hidden" changes={hidden} />}
      <section aria-labelledby="server-tools" className="flex flex-col gap-4">
        <SectionHeading
          id="server-tools"
          title="Tools"
          text={tools.length > 0 && `${countsOf(tools)} Calls and errors are those of the last 30 days.`}
        />
        {pricedButMissing.length > 0 && (
          <Notice tone="bad">
            The manifest prices tools that the server does not offer:{' '}
            {pricedButMissing.map(({ name, credits }) => `${name} (${formatCount(credits)})`).join(', ')}.
          </Notice>
        )}
        {tools.length >= searchFrom && (
          <SearchField
            label="Search tools"
            placeholder="Search tools"
            value={search}
            onChange={setSearch}
            className="sm:max-w-sm"
          />
        )}
        {tools.length === 0 ? (
          <EmptyState
            title="No tools"
            text={
              shown.listed?.isActive
                ? 'The server offers none, or has not answered yet.'
                : 'They appear once the server is deployed. A connection test shows what it offers.'
            }
          />
        ) : found.length === 0 ? (
          <EmptyState title="No tools match your search" text="Try fewer or other words." />
        ) : (
          <ToolsTable {...part} tools={found} />
        )}
      </section>
    </div>
  );
}

/** The tools that the shop counts as well, and those that only this list has. */
function countsOf(tools: readonly AdminTool[]): string {
  const isServed = ({ needsTask, underReview }: AdminTool) => !needsTask && !underReview;
  const served = tools.filter(isServed);
  const others = tools.length - served.length;
  const asking = served.filter(({ asks }) => asks !== null).length;
  const ofAll = served.length - asking;
  return `${ofAll === 1 ? '1 tool' : `${formatCount(ofAll)} tools`}${moreThatAsk(asking)}.${others === 0 ? '' : ` ${formatCount(others)} ${others === 1 ? 'other' : 'others'}, marked below, ${others === 1 ? 'is' : 'are'} in no link.`}`;
}
