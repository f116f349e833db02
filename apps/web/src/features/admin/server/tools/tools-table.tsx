import type { AdminTool } from '@souk/contract/admin/servers.ts';
import Pencil from 'lucide-react/icons/pencil';
import { useState } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { DayAndTime } from '#ui/text/moment.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { asksTexts } from '#web/texts/tools-that-ask.ts';
import type { ServerPartProps } from '../server-queries.ts';
import { ExposedName } from './exposed-name.tsx';
import { ToolPriceForm } from './tool-price-form.tsx';

/** Tools as rows, each with a form for its price. On a phone, the figures are below the name. */
export function ToolsTable({ tools, ...part }: ServerPartProps & { tools: readonly AdminTool[] }) {
  const [edited, setEdited] = useState<string>();
  const close = (name: string) => {
    setEdited(undefined);
    // the form had the focus and is gone
    requestAnimationFrame(() => document.getElementById(buttonId(name))?.focus());
  };
  const columns: readonly TableColumn<AdminTool>[] = [
    {
      id: 'tool',
      header: 'Tool',
      rowHeader: true,
      cell: (tool) => (
        <>
          <ToolName tool={tool} />
          <Facts className="mt-0.5 text-[0.8125rem] font-normal text-quiet tabular-nums sm:hidden">
            {`${formatCount(tool.calls)} answered`}
            {`${formatCount(tool.errors)} failed`}
            {`${formatCount(tool.tokens)} context tokens`}
          </Facts>
        </>
      ),
    },
    {
      id: 'price',
      header: 'Credits a call',
      numeric: true,
      cell: ({ name, credits, stagedCredits }) => (
        <div className="flex flex-col items-end gap-0.5">
          <Button
            id={buttonId(name)}
            size="small"
            variant="ghost"
            aria-expanded={edited === name}
            onClick={() => setEdited(edited === name ? undefined : name)}
            className="-mr-2.5 text-text!"
          >
            {credits === 0 ? 'Free' : formatCount(credits)}
            <Pencil aria-hidden size={13} className="text-faint" />
            <span className="sr-only">, change the price of {name}</span>
          </Button>
          {stagedCredits !== null && stagedCredits !== credits && (
            <span className="text-xs text-accent sm:whitespace-nowrap">
              {stagedCredits === 0 ? 'Free' : formatCount(stagedCredits)} waiting to be deployed
            </span>
          )}
        </div>
      ),
    },
    { id: 'calls', header: 'Answered calls', numeric: true, wideOnly: true, cell: ({ calls }) => formatCount(calls) },
    { id: 'errors', header: 'Failed calls', numeric: true, wideOnly: true, cell: ({ errors }) => formatCount(errors) },
    {
      id: 'tokens',
      header: (
        <abbr title="Estimated size of its definition in a model's context" className="no-underline">
          Context tokens
        </abbr>
      ),
      numeric: true,
      wideOnly: true,
      cell: ({ tokens }) => formatCount(tokens),
    },
  ];
  return (
    <Table
      caption="All tools"
      columns={columns}
      rows={tools}
      rowKey={({ name }) => name}
      below={(tool) => tool.name === edited && <ToolPriceForm {...part} tool={tool} onClose={() => close(tool.name)} />}
    />
  );
}

const buttonId = (name: string) => `price-of-${name}`;

function ToolName({
  tool: { name, exposedName, title, readOnly, destructive, asks, needsTask, underReview, keptHidden },
}: {
  tool: AdminTool;
}) {
  return (
    <span className="flex min-w-40 flex-wrap items-center gap-x-2 gap-y-1">
      <code dir="auto" className="font-mono text-[0.8125rem] wrap-anywhere">
        {name}
      </code>
      {exposedName !== name && <ExposedName name={exposedName} />}
      {title !== null && title !== name && <span className="font-normal wrap-anywhere text-quiet">{title}</span>}
      {readOnly && <Badge>Read only</Badge>}
      {destructive && <Badge tone="bad">Can delete or overwrite</Badge>}
      {destructive === null && <span className="text-xs font-normal text-quiet">Effects not stated</span>}
      {keptHidden ? <Badge>Kept hidden</Badge> : underReview && <Badge tone="accent">Under review</Badge>}
      {asks !== null && <Badge>{asksTexts[asks]}</Badge>}
      {needsTask && <Badge>Not served</Badge>}
      {needsTask && (
        <span className="basis-full text-[0.8125rem] font-normal text-quiet">
          It runs only as a task. This gateway doesn’t support tasks, so no client lists it.
        </span>
      )}
      {keptHidden && (
        <span className="basis-full text-[0.8125rem] font-normal wrap-anywhere text-quiet">
          Hidden{keptHidden.by !== null && ` by ${keptHidden.by}`} on <DayAndTime moment={keptHidden.at} />
          {keptHidden.reason !== null && `: ${keptHidden.reason}`}
        </span>
      )}
    </span>
  );
}
