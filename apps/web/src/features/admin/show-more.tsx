import { useState, type ReactNode } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';

/** Returns the first items of a list, and a button that shows the rest. */
export function useShowMore<Item>(
  items: readonly Item[],
  atFirst: number,
): { shown: readonly Item[]; more: ReactNode } {
  const [all, setAll] = useState(false);
  const shown = all ? items : items.slice(0, atFirst);
  const more = items.length > shown.length && (
    <Button size="small" variant="ghost" className="self-start" onClick={() => setAll(true)}>
      Show {formatCount(items.length - shown.length)} more
    </Button>
  );
  return { shown, more };
}
