import { lazy, Suspense } from 'react';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import type { RawDifferencesProps } from './raw-differences.tsx';

const RawDifferences = lazy(async () => ({ default: (await import('./raw-differences.tsx')).RawDifferences }));

/** RawDifferences, whose editor is loaded on first use. */
export function LazyDifferences(props: RawDifferencesProps) {
  return (
    <Suspense fallback={<ListSkeleton label="Comparing…" />}>
      <RawDifferences {...props} />
    </Suspense>
  );
}
