import { formatCount } from '#ui/text/amount.ts';
import type { ManifestCounts } from './manifest-queries.ts';

/** What needs an administrator among the manifests: servers that fail, versions that were staged, and tools under review. */
export function manifestsWaiting({ failing, staged, underReview }: ManifestCounts): { count: number; text: string } {
  return {
    count: failing + staged + underReview,
    text: [
      failing === 1 ? '1 failing server' : `${formatCount(failing)} failing servers`,
      staged === 1 ? '1 staged version' : `${formatCount(staged)} staged versions`,
      underReview === 1 ? '1 tool under review' : `${formatCount(underReview)} tools under review`,
    ].join(', '),
  };
}
