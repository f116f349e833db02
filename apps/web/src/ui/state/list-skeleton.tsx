import { DelayedFallback } from './delayed-fallback.tsx';
import { Skeleton } from './skeleton.tsx';

type ListSkeletonProps = { label: string; rows?: number | undefined; isScreen?: boolean | undefined };

export function ListSkeleton({ label, rows = 3, isScreen }: ListSkeletonProps) {
  return (
    <DelayedFallback label={label} isScreen={isScreen}>
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        {Array.from({ length: rows }, (_, row) => (
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
