import { counted } from '#ui/text/amount.ts';
import type { ManifestCounts } from './manifest-queries.ts';

/** Counts what needs an administrator: failing servers, staged versions and tools under review. */
export function manifestsWaiting({ failing, staged, underReview }: ManifestCounts): { count: number; text: string } {
  return {
    count: failing + staged + underReview,
    text: [
      counted(failing, 'failing server'),
      counted(staged, 'staged version'),
      counted(underReview, 'tool under review', 'tools under review'),
    ].join(', '),
  };
}
