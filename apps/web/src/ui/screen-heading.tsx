import type { ReactNode } from 'react';
import { classNames } from './class-names.ts';

export type ScreenHeadingProps = {
  /** The screen's only h1. */
  title: ReactNode;
  subtitle?: ReactNode;
  /** Buttons at the right, below on narrow screens. */
  actions?: ReactNode;
  /** What is below has a head of its own: on a phone this one is a line. */
  quietOnPhone?: boolean | undefined;
};

/** The top of a screen. */
export function ScreenHeading({ title, subtitle, actions, quietOnPhone }: ScreenHeadingProps) {
  return (
    <div
      className={classNames(
        'mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-4',
        quietOnPhone && 'max-sm:mb-2',
      )}
    >
      <div className="min-w-0">
        <h1
          className={classNames(
            'text-2xl/8 font-semibold tracking-tight wrap-anywhere',
            quietOnPhone && 'max-sm:text-sm/5 max-sm:font-medium max-sm:tracking-normal max-sm:text-quiet',
          )}
        >
          {title}
        </h1>
        {subtitle && <div className="mt-1 text-quiet">{subtitle}</div>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  );
}
