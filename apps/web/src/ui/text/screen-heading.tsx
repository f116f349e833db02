import type { ReactNode } from 'react';

export type ScreenHeadingProps = {
  /** The screen's only h1. */
  title: ReactNode;
  subtitle?: ReactNode;
  actions?: ReactNode;
};

export function ScreenHeading({ title, subtitle, actions }: ScreenHeadingProps) {
  return (
    <div className="mb-6 flex flex-wrap items-end justify-between gap-x-6 gap-y-4">
      <div className="min-w-0">
        <h1 className="text-2xl/8 font-semibold tracking-tight wrap-anywhere">{title}</h1>
        {subtitle && <div className="mt-1 text-quiet">{subtitle}</div>}
      </div>
      {actions && <div className="flex flex-wrap items-center gap-2">{actions}</div>}
    </div>
  );
}
