import type { ReactNode } from 'react';

export type EmptyStateProps = {
  title: string;
  /** Says what to do about it. */
  text?: ReactNode;
  icon?: ReactNode;
  actions?: ReactNode;
};

export function EmptyState({ title, text, icon, actions }: EmptyStateProps) {
  return (
    <div className="flex flex-col items-center gap-2 rounded-lg border border-dashed border-line px-6 py-12 text-center">
      {icon && <span className="mb-1 text-faint [&>svg]:size-7">{icon}</span>}
      <h2 className="text-base font-semibold">{title}</h2>
      {text && <div className="max-w-prose text-quiet">{text}</div>}
      {actions && <div className="mt-3 flex flex-wrap justify-center gap-2">{actions}</div>}
    </div>
  );
}
