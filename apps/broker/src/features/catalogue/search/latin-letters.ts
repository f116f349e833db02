import { createRequire } from 'node:module';
import type { transliterate } from 'transliteration';

const require = createRequire(import.meta.url);
let load: typeof transliterate | undefined;

/**
 * Transliterates a text. Loads the tables, which take 6 MB, with the first name in another script: most servers need
 * none.
 */
function lettersOf(text: string): string {
  load ??= (require('transliteration') as { transliterate: typeof transliterate }).transliterate;
  return load(text);
}

/** Characters of a name that are transliterated. Real names are shorter. */
const maxCharacters = 256;

/** Transliterates a name into lower-case Latin letters: `查询` becomes `cha_xun`. Empty for a name without letters. */
export function latinLetters(name: string): string {
  return lettersOf(name.slice(0, maxCharacters))
    .toLowerCase()
    .split(/[^a-z0-9_-]/)
    .filter((word) => word !== '')
    .join('_');
}
