import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { pricedButMissing, tellFirst, unofferedSentences } from '../discovery/left-out.ts';
import type { CatalogueServer } from '../snapshot/snapshot.ts';

/**
 * Sentences about prices that the author of a manifest may not have meant: a date that is over, and
 * a tool that the server does not offer. A misspelled name is only known where the server was asked already, and what it offers
 * to each person apart is not known here.
 */
export function priceNotes(
  manifest: Manifest,
  { live, nowMs }: { live: CatalogueServer | undefined; nowMs: number },
): string[] {
  const over = Object.entries(manifest.billing?.announcedPrices ?? {}).filter(
    ([, { from }]) => Date.parse(from) <= nowMs,
  );
  const told = tellFirst(
    over,
    ([tool, { from }]) =>
      `The announced price of “${cleanLabel(tool)}” is from ${from}, which is over: it holds from the deployment on, unannounced.`,
    (more) => `${more} more announced ${more === 1 ? 'price is' : 'prices are'} from dates that are over.`,
  );
  const isKnown = live?.discoveredAtMs !== undefined && manifest.auth.type === 'none';
  const tools = new Set([...(live?.tools ?? []), ...(live?.toolsUnderReview ?? [])].map(({ name }) => name));
  return [...told, ...(isKnown ? unofferedSentences(pricedButMissing(manifest, tools)) : [])];
}
