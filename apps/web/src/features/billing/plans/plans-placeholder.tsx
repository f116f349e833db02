import { Card } from '#ui/card.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';

export function PlansPlaceholder() {
  return (
    <DelayedFallback label="Loading plans…" isScreen>
      <div className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
        {['one', 'two', 'three', 'four'].map((place) => (
          <Card key={place} padding="large" className="flex flex-col">
            <Skeleton className="h-5.5 w-20" />
            <Skeleton className="mt-3 h-9 w-28" />
            <Skeleton className="mt-3 h-4 w-full" />
            <Skeleton className="mt-2 h-4 w-3/5" />
            <Skeleton className="mt-6 h-9 w-full" />
            <Skeleton className="mt-6 h-4 w-4/5" />
            <Skeleton className="mt-3 h-4 w-3/5" />
            <Skeleton className="mt-3 h-4 w-2/3" />
          </Card>
        ))}
      </div>
    </DelayedFallback>
  );
}
