import type { ReactNode } from 'react';
import { classNames } from '#ui/class-names.ts';
import { SectionHeading, type SectionHeadingProps } from '#ui/text/section-heading.tsx';

export function Section({
  gap = 'gap-3',
  children,
  ...heading
}: SectionHeadingProps & { gap?: 'gap-3' | 'gap-4' | 'gap-5'; children: ReactNode }) {
  return (
    <section aria-labelledby={heading.id} className={classNames('flex flex-col', gap)}>
      <SectionHeading {...heading} />
      {children}
    </section>
  );
}
