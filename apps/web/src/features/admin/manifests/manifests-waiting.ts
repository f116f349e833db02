import { formatCount } from '#ui/amount.ts';
import type { ManifestCounts } from './manifest-queries.ts';

/** What waits for a decision among the manifests: versions that an administrator staged, and tools under review. */
export function manifestsWaiting({ staged, underReview }: ManifestCounts): { count: number; text: string } {
  return {
    count: staged + underReview,
    text: [
      staged === 1 ? '1 staged version' : `${formatCount(staged)} staged versions`,
      underReview === 1 ? '1 tool under review' : `${formatCount(underReview)} tools under review`,
    ].join(', '),
  };
}
