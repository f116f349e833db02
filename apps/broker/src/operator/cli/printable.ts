/**
 * Escapes control characters, which a terminal would obey, in text from manifests, servers and programs. The escapes mean the
 * same in JSON. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

/** Removes control characters, line ends and tabs from text for one line. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '');
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
