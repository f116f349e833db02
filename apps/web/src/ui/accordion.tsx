import { Accordion as BaseAccordion } from '@base-ui/react/accordion';
import Plus from 'lucide-react/icons/plus';
import type { ReactNode } from 'react';

export type AccordionItem = { id: string; title: ReactNode; content: ReactNode };

/** Questions that open, one at a time. */
export function Accordion({ items }: { items: readonly AccordionItem[] }) {
  return (
    <BaseAccordion.Root className="divide-y divide-line border-y border-line">
      {items.map((item) => (
        <BaseAccordion.Item key={item.id} value={item.id}>
          <BaseAccordion.Header>
            <BaseAccordion.Trigger className="group flex w-full items-center justify-between gap-4 py-4 text-left text-[0.9375rem] font-medium hover:text-accent">
              {item.title}
              <Plus
                aria-hidden
                size={16}
                className="shrink-0 text-quiet transition-transform group-data-panel-open:rotate-45"
              />
            </BaseAccordion.Trigger>
          </BaseAccordion.Header>
          <BaseAccordion.Panel className="h-(--accordion-panel-height) overflow-hidden text-quiet transition-[height] data-ending-style:h-0 data-starting-style:h-0">
            <div className="max-w-prose pr-8 pb-5">{item.content}</div>
          </BaseAccordion.Panel>
        </BaseAccordion.Item>
      ))}
    </BaseAccordion.Root>
  );
}
