import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';

export function ManifestsSkeleton() {
  return (
    <DelayedFallback label="Loading manifests…">
      <div className="overflow-hidden rounded-lg border border-line bg-surface">
        {[1, 2, 3, 4, 5].map((row) => (
          <div key={row} className="flex h-21 items-center gap-8 border-b border-line px-4 last:border-0">
            <div className="flex flex-1 flex-col gap-2">
              <Skeleton className="h-4 w-36" />
              <Skeleton className="h-3 w-full max-w-56" />
            </div>
            <Skeleton className="h-5 w-20 max-lg:hidden" />
            <Skeleton className="h-5 w-32 max-lg:hidden" />
            <Skeleton className="h-5 w-16" />
          </div>
        ))}
      </div>
    </DelayedFallback>
  );
}
