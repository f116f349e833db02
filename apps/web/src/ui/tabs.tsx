import { useEffect, useId, useRef, type KeyboardEvent, type ReactNode } from 'react';
import { classNames } from './class-names.ts';
import { useHiddenEdges } from './use-hidden-edges.ts';

export type TabItem<Value extends string> = {
  value: Value;
  label: ReactNode;
  /** Built only for the chosen tab. */
  content: ReactNode;
};

export type TabsProps<Value extends string> = {
  label: string;
  items: readonly TabItem<Value>[];
  value: Value;
  onChange: (value: Value) => void;
  /**
   * line: the tabs of a screen, which scroll sideways. parts: the parts of one such tab. pills: many short names at a
   * card's edge, which wrap.
   */
  look?: 'line' | 'parts' | 'pills' | undefined;
  /** A phone shows only the panel, which has its own tabs and back link. */
  hideOnPhone?: boolean | undefined;
};

/** Width in which hidden content fades out (tokens.css, fade-edges). */
const edgePx = 40;

const chosenInForcedColors =
  'forced-colors:border-[Highlight] forced-colors:bg-[Highlight] forced-colors:text-[HighlightText] forced-colors:forced-color-adjust-none';

const looks = {
  line: {
    list: 'fade-edges scroll-px-10 gap-1 overflow-x-auto [scrollbar-width:none]',
    tab: 'border-b-2 px-3 py-2 focus-visible:-outline-offset-2',
    chosen: 'border-ink text-text',
    panel: 'pt-6',
  },
  parts: {
    list: 'flex-wrap gap-1',
    tab: 'h-8 rounded-md border px-2.5 text-[0.8125rem]',
    chosen: 'border-line bg-sunken text-text',
    panel: 'pt-5',
  },
  pills: {
    list: 'flex-wrap gap-1 border-b border-line bg-ground p-2 sm:px-3',
    tab: 'h-8 rounded-md border px-2.5 text-[0.8125rem]',
    chosen: 'border-line bg-surface text-text',
    panel: 'p-4 sm:p-5',
  },
} as const;

function nextIndex(key: string, index: number, count: number): number | undefined {
  if (key === 'ArrowRight') return (index + 1) % count;
  if (key === 'ArrowLeft') return (index - 1 + count) % count;
  if (key === 'Home') return 0;
  return key === 'End' ? count - 1 : undefined;
}

/** Sets scrollLeft: scrollIntoView would also move the start of the Tab key past the skip link. */
function scrollToChosen(list: HTMLElement): void {
  const chosen = list.querySelector<HTMLElement>('[aria-selected="true"]');
  if (!chosen) return;
  const frame = list.getBoundingClientRect();
  const tab = chosen.getBoundingClientRect();
  if (tab.left < frame.left + edgePx) list.scrollLeft -= frame.left + edgePx - tab.left;
  else if (tab.right > frame.right - edgePx) list.scrollLeft += tab.right - (frame.right - edgePx);
}

/**
 * Tabs with their panel: arrow keys, Home and End choose (ARIA practices, tabs with automatic activation). Keep `value`
 * in the address. Not Base UI's, which adds 10 KB to the first load.
 */
export function Tabs<Value extends string>({
  label,
  items,
  value,
  onChange,
  look = 'line',
  hideOnPhone,
}: TabsProps<Value>) {
  const id = useId();
  const classes = looks[look];
  const chosen = items.find((item) => item.value === value);
  const list = useRef<HTMLDivElement>(null);
  const hiddenEdges = useHiddenEdges(list);
  // An address can name a tab that is out of view on a phone, turning the phone can hide it, and a badge that arrives
  // later moves the tabs behind it.
  useEffect(() => {
    const row = list.current;
    if (!row) return undefined;
    const observer = new ResizeObserver(() => scrollToChosen(row)); // reports the first sizes too
    for (const element of [row, ...row.children]) observer.observe(element);
    return () => observer.disconnect();
  }, [value]);
  const move = (event: KeyboardEvent<HTMLElement>, index: number) => {
    const to = nextIndex(event.key, index, items.length);
    const item = to === undefined ? undefined : items[to];
    if (!item) return;
    event.preventDefault();
    onChange(item.value);
    document.getElementById(`${id}-${item.value}`)?.focus();
  };
  return (
    <div className="min-w-0">
      <div
        ref={list}
        role="tablist"
        aria-label={label}
        data-hidden={hiddenEdges}
        className={classNames('flex', hideOnPhone && 'max-sm:hidden', classes.list)}
      >
        {items.map((item, index) => {
          const isChosen = item === chosen;
          return (
            <button
              key={item.value}
              type="button"
              role="tab"
              id={`${id}-${item.value}`}
              aria-selected={isChosen}
              aria-controls={isChosen ? `${id}-panel` : undefined}
              // Tab stops at the tabs once
              tabIndex={isChosen || (!chosen && index === 0) ? 0 : -1}
              onClick={() => onChange(item.value)}
              onKeyDown={(event) => move(event, index)}
              className={classNames(
                'shrink-0 font-medium whitespace-nowrap transition-colors',
                classes.tab,
                isChosen
                  ? classNames(classes.chosen, chosenInForcedColors)
                  : 'border-transparent text-quiet hover:text-text',
              )}
            >
              {item.label}
            </button>
          );
        })}
      </div>
      {look === 'line' && (
        <div aria-hidden className={classNames('-mt-px border-b border-line', hideOnPhone && 'max-sm:hidden')} />
      )}
      {chosen && (
        <div
          key={chosen.value}
          role="tabpanel"
          id={`${id}-panel`}
          aria-labelledby={`${id}-${chosen.value}`}
          tabIndex={0}
          className={classNames('focus-visible:-outline-offset-2', classes.panel)}
        >
          {chosen.content}
        </div>
      )}
    </div>
  );
}
