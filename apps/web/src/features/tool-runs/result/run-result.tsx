import type { RunEvent, RunFacts } from '@souk/contract/tool-runs.ts';
import { useState } from 'react';
import { counted, formatCount, formatDuration } from '#ui/text/amount.ts';
import { Badge } from '#ui/state/badge.tsx';
import { Button } from '#ui/button.tsx';
import { CodeBlock } from '#ui/text/code-block.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { readBlock } from './content-block.ts';
import { ContentView } from './content-view.tsx';

type Result = Extract<RunEvent, { type: 'result' }>;

const shownBlocks = 20;
const maxStructuredCharacters = 100_000;

export function RunResult({ result, tool }: { result: Result; tool: string }) {
  const [shown, setShown] = useState(shownBlocks);
  const { content, isError, facts } = result;
  const blocks = content.slice(0, shown).map(readBlock);
  const structured = structuredText(result.structuredContent);
  const isInBlocks = blocks.some((block) => block.kind === 'text' && block.text === structured);
  const isEmpty = content.length === 0 && structured === undefined;
  return (
    <div className="min-w-0 space-y-3">
      <p className="flex flex-wrap items-center gap-x-2 gap-y-1 text-[0.8125rem] text-quiet tabular-nums">
        {facts.code === 'cancelled' ? (
          <Badge>Canceled</Badge>
        ) : isError ? (
          <Badge tone="bad">Error</Badge>
        ) : (
          <Badge tone="good">Done</Badge>
        )}
        <span>{formatDuration(result.durationMs)}</span>
        {facts.charged !== undefined && <span>· {costText(facts)}</span>}
      </p>
      {isEmpty && <p className="text-quiet">The tool returned nothing.</p>}
      {isError && facts.code !== undefined ? (
        <Refusal blocks={blocks} facts={facts} />
      ) : (
        blocks.map((block, index) => <ContentView key={index} block={block} tool={tool} />)
      )}
      {content.length > shown && (
        <Button size="small" onClick={() => setShown(shown + shownBlocks)}>
          Show more ({formatCount(content.length - shown)} left)
        </Button>
      )}
      {structured !== undefined && !isInBlocks && (
        <CodeBlock label="Structured result" code={structured.slice(0, maxStructuredCharacters)} />
      )}
    </div>
  );
}

/** The broker's own reason why the tool was not run, or did not answer. */
function Refusal({ blocks, facts }: { blocks: readonly ReturnType<typeof readBlock>[]; facts: RunFacts }) {
  const said = blocks.map((block) => (block.kind === 'text' ? block.text : '')).join('\n');
  // the address is for clients; this page links to it next to the cost
  const text = facts.code === 'insufficient_credits' ? said.split(' Top up: ')[0] : said;
  return <Notice tone={facts.code === 'cancelled' ? 'info' : 'bad'}>{text}</Notice>;
}

function structuredText(structured: unknown): string | undefined {
  return structured === undefined ? undefined : JSON.stringify(structured, null, 2);
}

function costText({ charged = 0, available }: RunFacts): string {
  const cost = counted(charged, 'credit');
  return available === undefined ? cost : `${cost}, ${formatCount(available)} left`;
}
