import type { CapabilityAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useRef, useState } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { SearchField } from '#ui/form/search-field.tsx';
import { filterTools, type ToolMatcher } from './filter-tools.ts';

export type ToolFilterProps = {
  tools: readonly CapabilityAnswer[];
  /** Called with the filter; undefined: all tools. */
  onFilter: (isShown: ToolMatcher | undefined) => void;
};

export function ToolFilter({ tools, onFilter }: ToolFilterProps) {
  const [text, setText] = useState('');
  const box = useRef<HTMLDivElement>(null);
  const isShown = filterTools(text);
  const shown = isShown ? tools.filter(isShown).length : tools.length;
  const change = (next: string) => {
    setText(next);
    onFilter(filterTools(next));
  };
  return (
    <div ref={box} className="mb-3 flex flex-col gap-3">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <SearchField
          label="Filter tools"
          placeholder="Filter by name or description"
          value={text}
          onChange={change}
          className="w-full"
        />
        <p role="status" className="text-quiet tabular-nums">
          {isShown && `${formatCount(shown)} of ${formatCount(tools.length)} tools`}
        </p>
      </div>
      {shown === 0 && (
        <EmptyState
          title="No tools match"
          text="Try fewer or other words."
          actions={
            <Button
              onClick={() => {
                change('');
                // the focus would be lost with the button
                box.current?.querySelector('input')?.focus();
              }}
            >
              Show all tools
            </Button>
          }
        />
      )}
    </div>
  );
}
