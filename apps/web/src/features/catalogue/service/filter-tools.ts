import type { CapabilityAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { maxSearchLength, maxSearchWords } from '@souk/contract/catalogue/catalogue-search.ts';

export type ToolMatcher = (tool: Pick<CapabilityAnswer, 'name' | 'displayName' | 'displayDescription'>) => boolean;

const folded = (text: string) => text.normalize('NFKD').replaceAll(/\p{M}/gu, '').toLowerCase();

/**
 * Returns a matcher for tools with every word of the text in their name, title or description, ignoring accents and
 * case; undefined without a word.
 */
export function filterTools(text: string): ToolMatcher | undefined {
  const words = folded(text.slice(0, maxSearchLength)).split(/\s+/).filter(Boolean).slice(0, maxSearchWords);
  if (words.length === 0) return undefined;
  return ({ name, displayName, displayDescription }) => {
    const searched = folded(`${name}\n${displayName}\n${displayDescription}`);
    return words.every((word) => searched.includes(word));
  };
}
