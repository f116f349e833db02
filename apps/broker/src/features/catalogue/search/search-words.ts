import { maxSearchWords } from '@souk/contract/catalogue/catalogue-search.ts';

/** A text as searches compare it: composed characters, in lower case. */
export const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** The words of a search, each once, folded. They are separated by blanks: `find_airports` is one. */
export function searchWords(q: string): string[] {
  const words = folded(q)
    .split(/\s+/)
    .filter((word) => word !== '');
  return [...new Set(words)].slice(0, maxSearchWords);
}
