import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import type { CapabilityKind } from '../tables.ts';

/** A listed definition that is not offered. `reason` follows its name in a sentence. */
export type LeftOut = { kind: CapabilityKind; name: string; reason: string };

const words: Record<CapabilityKind, string> = {
  tool: 'tool',
  prompt: 'prompt',
  resource: 'resource',
  template: 'resource template',
};
const maxDescribed = 3;

/** Describes definitions that are left out and prices of missing tools, for the server's status. */
export function describeLeftOut(leftOut: readonly LeftOut[], unoffered: readonly string[]): string | undefined {
  const sentences = [...leftOutSentences(leftOut), ...unofferedSentences(unoffered)];
  return sentences.length > 0 ? sentences.join(' ') : undefined;
}

/** Returns the names of tools that have a price in the manifest and that the server does not offer. */
export function pricedButMissing({ billing }: Manifest, tools: ReadonlySet<string>): string[] {
  const priced = [...Object.keys(billing?.toolCosts ?? {}), ...Object.keys(billing?.announcedPrices ?? {})];
  return [...new Set(priced)].filter((name) => !tools.has(name));
}

export function unofferedSentences(names: readonly string[]): string[] {
  return describeFirst(
    names,
    (name) => `“${cleanLabel(name)}” has a price, and the server does not offer it.`,
    (more) =>
      `${more} more ${more === 1 ? 'has a price' : 'have prices'} and ${more === 1 ? 'is' : 'are'} not offered.`,
  );
}

function leftOutSentences(leftOut: readonly LeftOut[]): string[] {
  return describeFirst(
    leftOut,
    ({ kind, name, reason }) => {
      const shown = cleanLabel(name);
      const what = shown === '' ? `A ${words[kind]}` : `The ${words[kind]} “${shown}”`;
      return `${what} is left out: ${reason}.`;
    },
    (more) => `${more} more ${more === 1 ? 'is' : 'are'} left out.`,
  );
}

/** Returns a sentence for each of the first three items, and one with the number of the others. */
export function describeFirst<Item>(
  items: readonly Item[],
  describe: (item: Item) => string,
  describeMore: (more: number) => string,
): string[] {
  const more = items.length - maxDescribed;
  return [...items.slice(0, maxDescribed).map(describe), ...(more > 0 ? [describeMore(more)] : [])];
}
