import { maxSearchWords } from '@souk/contract/catalogue/catalogue-search.ts';

export const folded = (text: string): string => text.normalize('NFC').toLowerCase();

/** Splits a search into distinct normalized words. They are separated by blanks: `find_airports` is one word. */
export function searchWords(q: string): string[] {
  const words = folded(q)
    .split(/\s+/)
    .filter((word) => word !== '');
  return [...new Set(words)].slice(0, maxSearchWords);
}
