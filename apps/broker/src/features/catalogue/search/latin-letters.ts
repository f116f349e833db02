import { createRequire } from 'node:module';
import type { transliterate } from 'transliteration';

const require = createRequire(import.meta.url);
let load: typeof transliterate | undefined;

/** Its tables take 6 MB, and most servers need none: they are read for the first name of another script. */
function lettersOf(text: string): string {
  load ??= (require('transliteration') as { transliterate: typeof transliterate }).transliterate;
  return load(text);
}

/** Longer names are no server's own (inspect-offer.ts). */
const mostCharacters = 256;

/**
 * A name in another script as it is spoken, in lower-case Latin letters: `查询` becomes `cha_xun`. Empty for a name without
 * any letter, such as one of pictures.
 */
export function latinLetters(name: string): string {
  return lettersOf(name.slice(0, mostCharacters))
    .toLowerCase()
    .split(/[^a-z0-9_-]/)
    .filter((word) => word !== '')
    .join('_');
}
