import type { ReactNode, Ref } from 'react';

export type SectionHeadingProps = {
  /** Names the section by aria-labelledby. */
  id: string;
  title: string;
  text?: ReactNode;
  actions?: ReactNode;
  /** The heading is all that a card shows, so its buttons are centered. */
  fillsCard?: boolean;
  /** Takes the focus when the element that had it was removed. */
  focusRef?: Ref<HTMLHeadingElement> | undefined;
};

export function SectionHeading({ id, title, text, actions, fillsCard = false, focusRef }: SectionHeadingProps) {
  return (
    <div
      className={`flex flex-wrap justify-between gap-x-6 gap-y-3 ${text && !fillsCard ? 'items-end' : 'items-center'}`}
    >
      <div className="min-w-0">
        <h2 id={id} ref={focusRef} tabIndex={-1} className="scroll-mt-20 text-base font-semibold outline-none">
          {title}
        </h2>
        {text && <p className="mt-1 max-w-prose text-pretty text-quiet">{text}</p>}
      </div>
      {actions}
    </div>
  );
}

/** A section of a screen, named by its heading. */
export function TitledSection({ children, ...heading }: SectionHeadingProps & { children?: ReactNode }) {
  return (
    <section aria-labelledby={heading.id} className="flex flex-col gap-4">
      <SectionHeading {...heading} />
      {children}
    </section>
  );
}
