import type { ReactNode } from 'react';
import { Button } from '#ui/button.tsx';

/** A list entry: its name, badges beside it, facts below it, and its buttons. */
export function EntryRow({
  name,
  marks,
  buttons,
  children,
}: {
  name: string;
  marks?: ReactNode;
  buttons?: ReactNode;
  children: ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-start justify-between gap-x-6 gap-y-3 p-4">
      <div className="min-w-0 flex-1 basis-72">
        <h3 className="flex flex-wrap items-center gap-x-2 gap-y-1">
          <span dir="auto" className="font-mono text-[0.8125rem] font-semibold wrap-anywhere">
            {name}
          </span>
          {marks}
        </h3>
        <div className="mt-1 flex flex-col gap-0.5 text-[0.8125rem] text-pretty text-quiet">{children}</div>
      </div>
      <div className="flex gap-2 empty:hidden">{buttons}</div>
    </li>
  );
}

export function RemoveButton({ name, onClick }: { name: string; onClick: () => void }) {
  return (
    <Button size="small" variant="ghost" aria-label={`Remove ${name}`} onClick={onClick}>
      Remove
    </Button>
  );
}
