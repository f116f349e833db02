import { DelayedFallback } from './delayed-fallback.tsx';
import { Skeleton } from './skeleton.tsx';

/** Three rows of a list that is on its way. */
export function ListSkeleton({ label }: { label: string }) {
  return (
    <DelayedFallback label={label}>
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        {[1, 2, 3].map((row) => (
          <div
            key={row}
            className="flex h-16 items-center justify-between gap-6 border-b border-line px-4 last:border-0"
          >
            <Skeleton className="h-4 w-40" />
            <Skeleton className="h-4 w-24 max-sm:hidden" />
            <Skeleton className="h-4 w-20" />
          </div>
        ))}
      </div>
    </DelayedFallback>
  );
}
