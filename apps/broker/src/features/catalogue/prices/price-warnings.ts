import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { pricedButMissing, describeFirst, unofferedSentences } from '../discovery/left-out.ts';
import type { CatalogueServer } from '../snapshot/snapshot.ts';

/**
 * Returns sentences about prices that the author of a manifest may not have meant: a date in the past, or a tool that
 * the server does not offer. A misspelled tool is found only after a discovery, and not on a server with personal
 * tools.
 */
export function priceWarnings(
  manifest: Manifest,
  { live, nowMs }: { live: CatalogueServer | undefined; nowMs: number },
): string[] {
  const past = Object.entries(manifest.billing?.announcedPrices ?? {}).filter(
    ([, { from }]) => Date.parse(from) <= nowMs,
  );
  const ofDates = describeFirst(
    past,
    ([tool, { from }]) =>
      `The announced price of “${cleanLabel(tool)}” starts on ${from}. That date has passed: the price applies on deployment, without notice.`,
    (more) => `${more} more announced ${more === 1 ? 'price has a date' : 'prices have dates'} in the past.`,
  );
  const isKnown = live?.discoveredAtMs !== undefined && manifest.auth.type === 'none';
  const tools = new Set([...(live?.tools ?? []), ...(live?.toolsUnderReview ?? [])].map(({ name }) => name));
  return [...ofDates, ...(isKnown ? unofferedSentences(pricedButMissing(manifest, tools)) : [])];
}
