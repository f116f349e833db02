import type { ReactNode } from 'react';

/** A name and its value. `note` takes the whole width below them. */
export function Fact({ name, note, children }: { name: string; note?: ReactNode; children: ReactNode }) {
  return (
    <div className="flex flex-wrap items-start justify-between gap-x-4 gap-y-1.5 py-2.5">
      <dt className="shrink-0 text-quiet">{name}</dt>
      <dd className="min-w-0 text-right wrap-anywhere tabular-nums">{children}</dd>
      {note !== undefined && <dd className="w-full text-[0.8125rem] text-pretty wrap-anywhere text-quiet">{note}</dd>}
    </div>
  );
}
