import { Card } from '#ui/card.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';

export function ServicePlaceholder() {
  return (
    <DelayedFallback label="Loading server…" isScreen>
      <div className="flex items-start gap-4">
        <Skeleton className="size-16 shrink-0" />
        <div className="flex flex-1 flex-col gap-3">
          <Skeleton className="h-7 w-48" />
          <Skeleton className="h-4 w-full max-w-prose" />
          <Skeleton className="h-5.5 w-64 max-w-full rounded-full" />
        </div>
      </div>
      <div className="mt-8 grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_22rem]">
        <div className="space-y-4">
          <Skeleton className="h-6 w-36" />
          <Card padding="none" className="divide-y divide-line">
            {['one', 'two', 'three', 'four'].map((place) => (
              <div key={place} className="flex flex-col gap-2 px-4 py-4">
                <Skeleton className="h-4 w-40" />
                <Skeleton className="h-3 w-4/5" />
              </div>
            ))}
          </Card>
        </div>
        <Skeleton className="h-96 w-full rounded-lg" />
      </div>
    </DelayedFallback>
  );
}
