import type { AdminTool } from '@souk/contract/admin/servers.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { SearchField } from '#ui/form/search-field.tsx';
import { moreThatAsk } from '#web/texts/tools-that-ask.ts';
import { NotLoaded } from '../../not-loaded.tsx';
import { Section } from '../../section.tsx';
import { toolsQuery, type ServerPartProps } from '../server-queries.ts';
import { ReviewQueue } from './review-queue.tsx';
import { ToolsTable } from './tools-table.tsx';

/** Number of tools from which there is a search. */
const searchFrom = 9;

export function ToolsPart(part: ServerPartProps) {
  const { userId, serverId, shown } = part;
  const query = useQuery(toolsQuery(userId, serverId));
  const [search, setSearch] = useState('');
  if (!query.data) return <NotLoaded query={query} label="Loading tools…" />;
  const { tools, pricedButMissing } = query.data;
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
      <Section
        id="server-tools"
        gap="gap-4"
        title="Tools"
        text={tools.length > 0 && `${countsOf(tools)} Calls and errors are those of the last 30 days.`}
      >
        {pricedButMissing.length > 0 && (
          <Notice tone="bad">
            The manifest has prices for tools that the server doesn’t offer:{' '}
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
      </Section>
    </div>
  );
}

/** Counts the tools that the shop lists, and the others. */
function countsOf(tools: readonly AdminTool[]): string {
  const isServed = ({ needsTask, underReview }: AdminTool) => !needsTask && !underReview;
  const served = tools.filter(isServed);
  const others = tools.length - served.length;
  const asking = served.filter(({ asks }) => asks !== null).length;
  const ofAll = served.length - asking;
  const unserved = counted(others, 'other, marked below, is', 'others, marked below, are');
  return `${counted(ofAll, 'tool')}${moreThatAsk(asking)}.${others === 0 ? '' : ` ${unserved} in no link.`}`;
}
