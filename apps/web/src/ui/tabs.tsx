import { Tabs as BaseTabs } from '@base-ui/react/tabs';
import type { ReactNode } from 'react';

export type TabItem<Value extends string> = {
  value: Value;
  label: ReactNode;
  /** Built only while its tab is chosen. */
  content: ReactNode;
};

export type TabsProps<Value extends string> = {
  /** What the tabs choose between, for screen readers. */
  label: string;
  items: readonly TabItem<Value>[];
  value: Value;
  onChange: (value: Value) => void;
};

/** Tabs with their panels: arrow keys move, the strip scrolls sideways where it is too long. Keep `value` in the address. */
export function Tabs<Value extends string>({ label, items, value, onChange }: TabsProps<Value>) {
  return (
    <BaseTabs.Root
      value={value}
      onValueChange={(chosen: unknown) => {
        const item = items.find((candidate) => candidate.value === chosen);
        if (item) onChange(item.value);
      }}
    >
      <BaseTabs.List
        aria-label={label}
        activateOnFocus
        className="flex gap-1 overflow-x-auto border-b border-line [scrollbar-width:none]"
      >
        {items.map((item) => (
          <BaseTabs.Tab
            key={item.value}
            value={item.value}
            className="-mb-px shrink-0 border-b-2 border-transparent px-3 py-2 font-medium whitespace-nowrap text-quiet transition-colors hover:text-text focus-visible:-outline-offset-2 data-active:border-ink data-active:text-text"
          >
            {item.label}
          </BaseTabs.Tab>
        ))}
      </BaseTabs.List>
      {items.map((item) => (
        <BaseTabs.Panel key={item.value} value={item.value} className="pt-4">
          {item.content}
        </BaseTabs.Panel>
      ))}
    </BaseTabs.Root>
  );
}
