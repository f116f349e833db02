import type { CapabilityAnswer } from '@souk/contract/catalogue/catalogue.ts';
import ChevronRight from 'lucide-react/icons/chevron-right';
import { Suspense, useState, type ReactNode } from 'react';
import { Badge } from '#ui/state/badge.tsx';
import { Card } from '#ui/card.tsx';
import { classNames } from '#ui/class-names.ts';
import { UtcDay } from '#ui/text/moment.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { sells } from '#web/config.ts';
import { asksTexts } from '#web/texts/tools-that-ask.ts';
import { lazyPart } from '#ui/lazy-part.ts';
import type { ToolMatcher } from './filter-tools.ts';
import { callCost, comingCost } from '../server-texts.ts';

/** Number of tools from which a filter is shown. Fewer are quick to look through. */
const filterFrom = 13;

const ToolFilter = lazyPart(() => import('./tool-filter.tsx'), 'ToolFilter');

/** Loaded when a row first opens. */
const ToolDetails = lazyPart(() => import('./tool-details.tsx'), 'ToolDetails');

export type ToolListProps = {
  tools: readonly CapabilityAnswer[];
  /** The tool whose form is open at first. */
  triedTool: string | undefined;
  /** Runs a tool in its row; `onClose` brings its parameters back. */
  tryTool: (tool: CapabilityAnswer, onClose: () => void) => ReactNode;
};

/** Tools as rows with their description and price. A row opens into its parameters and the form that runs it. */
export function ToolList({ tools, triedTool, tryTool }: ToolListProps) {
  const [isShown, setIsShown] = useState<ToolMatcher>();
  return (
    <>
      {tools.length >= filterFrom && (
        <Suspense fallback={<Skeleton className="mb-3 h-9 w-full" />}>
          <ToolFilter tools={tools} onFilter={(next) => setIsShown(() => next)} />
        </Suspense>
      )}
      <div hidden={isShown !== undefined && !tools.some(isShown)}>
        <Card padding="none">
          <ul className={classNames('divide-y divide-line', isShown && '-mb-px')}>
            {tools.map((tool) => (
              // hidden rather than removed, so that a row keeps its state
              <li key={tool.name} hidden={isShown !== undefined && !isShown(tool)}>
                <ToolRow tool={tool} isTriedAtFirst={tool.name === triedTool} tryTool={tryTool} />
              </li>
            ))}
          </ul>
        </Card>
      </div>
    </>
  );
}

export type ToolRowProps = Pick<ToolListProps, 'tryTool'> & { tool: CapabilityAnswer; isTriedAtFirst: boolean };

function ToolRow({ tool, isTriedAtFirst, tryTool }: ToolRowProps) {
  const [isOpen, setIsOpen] = useState(isTriedAtFirst);
  const [wasOpen] = useState(isTriedAtFirst);
  // if nothing is sold, every call is free
  const creditCost = sells ? tool.creditCost : undefined;
  return (
    <details open={wasOpen} onToggle={(event) => event.currentTarget.open && setIsOpen(true)} className="group/tool">
      <summary className="flex list-none items-start gap-2.5 px-4 py-3.5 hover:bg-sunken/50 [&::-webkit-details-marker]:hidden">
        <ChevronRight
          aria-hidden
          size={16}
          className="mt-0.5 shrink-0 text-faint transition-transform group-open/tool:rotate-90"
        />
        <span className="grid min-w-0 flex-1 grid-cols-[minmax(0,1fr)_auto] gap-x-2.5">
          <span dir="auto" className="font-medium wrap-anywhere">
            {tool.displayName}
          </span>
          <span className="col-span-2 flex flex-wrap items-center gap-x-2 gap-y-1 empty:hidden">
            {tool.displayName !== tool.name && (
              <code dir="auto" className="font-mono text-xs wrap-anywhere text-faint">
                {tool.name}
              </code>
            )}
            <Hints annotations={tool.annotations} />
            {tool.asks && <Badge>{asksTexts[tool.asks]}</Badge>}
          </span>
          {/* an open row shows a long text in full */}
          <span
            dir="auto"
            className="col-span-2 mt-1 line-clamp-3 text-pretty wrap-anywhere text-quiet group-open/tool:line-clamp-none sm:col-span-1"
          >
            {tool.displayDescription}
          </span>
          <span
            className={`col-start-2 row-start-1 text-right text-[0.8125rem] tabular-nums ${creditCost ? 'font-medium' : 'text-quiet'}`}
          >
            {callCost(creditCost)}
            {sells && tool.comingCost && (
              <span className="block font-normal text-quiet">
                {comingCost(tool.comingCost.credits)} from <UtcDay moment={tool.comingCost.from} />
              </span>
            )}
          </span>
        </span>
      </summary>
      {isOpen && (
        <Suspense fallback={<Skeleton className="mb-4 h-24 w-full" />}>
          <ToolDetails tool={tool} isTriedAtFirst={isTriedAtFirst} tryTool={tryTool} />
        </Suspense>
      )}
    </details>
  );
}

/** The server's own hints about the tool, by which clients decide whether to confirm a call. */
function Hints({ annotations }: { annotations: CapabilityAnswer['annotations'] }) {
  if (annotations?.['readOnlyHint'] === true) return <Badge>Read only</Badge>;
  if (annotations?.['destructiveHint'] === true) return <Badge tone="bad">Can delete or overwrite</Badge>;
  return null;
}
