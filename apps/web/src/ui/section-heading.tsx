import type { ReactNode, Ref } from 'react';

export type SectionHeadingProps = {
  /** Names the section by aria-labelledby. */
  id: string;
  title: string;
  text?: ReactNode;
  /** Buttons at the right, below on narrow screens. */
  actions?: ReactNode;
  /** Takes the focus when the element that had it was removed. */
  focusRef?: Ref<HTMLHeadingElement> | undefined;
};

/** The heading of a part of a screen. */
export function SectionHeading({ id, title, text, actions, focusRef }: SectionHeadingProps) {
  return (
    <div className={`flex flex-wrap justify-between gap-x-6 gap-y-3 ${text ? 'items-end' : 'items-center'}`}>
      <div className="min-w-0">
        <h2 id={id} ref={focusRef} tabIndex={-1} className="text-base font-semibold outline-none">
          {title}
        </h2>
        {text && <p className="mt-1 max-w-prose text-pretty text-quiet">{text}</p>}
      </div>
      {actions}
    </div>
  );
}
