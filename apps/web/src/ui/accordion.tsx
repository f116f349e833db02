import Plus from 'lucide-react/icons/plus';
import { useId, useState, type ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type AccordionItem = { id: string; title: ReactNode; content: ReactNode };

/**
 * Questions that open one at a time, each a button in a heading with the region that it controls. Not Base UI's, which
 * adds 10 KB to the first load.
 */
export function Accordion({ items }: { items: readonly AccordionItem[] }) {
  const id = useId();
  const [open, setOpen] = useState<string>();
  return (
    <div className="divide-y divide-line border-y border-line">
      {items.map((item) => {
        const isOpen = item.id === open;
        return (
          <div key={item.id}>
            <h3>
              <button
                type="button"
                id={`${id}-${item.id}`}
                aria-expanded={isOpen}
                aria-controls={`${id}-${item.id}-content`}
                onClick={() => setOpen(isOpen ? undefined : item.id)}
                className="flex w-full items-center justify-between gap-4 rounded-sm py-4 text-left text-[0.9375rem] font-medium transition-colors hover:text-accent"
              >
                {item.title}
                <Plus
                  aria-hidden
                  size={16}
                  className={classNames('shrink-0 text-quiet transition-transform', isOpen && 'rotate-45')}
                />
              </button>
            </h3>
            <div
              id={`${id}-${item.id}-content`}
              role="region"
              aria-labelledby={`${id}-${item.id}`}
              // closed text is unreachable by keyboard and screen readers, but still visible while it slides shut
              inert={!isOpen}
              className={classNames(
                'grid transition-[grid-template-rows]',
                isOpen ? 'grid-rows-[1fr]' : 'grid-rows-[0fr]',
              )}
            >
              <div className={classNames('overflow-hidden transition-[visibility]', !isOpen && 'invisible')}>
                <div className="max-w-prose pr-8 pb-5 text-quiet">{item.content}</div>
              </div>
            </div>
          </div>
        );
      })}
    </div>
  );
}

/** The questions at the end of a screen. */
export function Faq({ items }: { items: readonly AccordionItem[] }) {
  return (
    <section className="grid gap-x-16 gap-y-5 pt-14 sm:pt-16 lg:grid-cols-[minmax(0,1fr)_minmax(0,2fr)]">
      <h2 className="text-xl/7 font-semibold tracking-tight">Frequently Asked Questions</h2>
      <Accordion items={items} />
    </section>
  );
}
