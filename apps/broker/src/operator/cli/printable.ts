/**
 * A terminal obeys control characters, and a manifest, a server or a program may have written them: each becomes its escape,
 * which means the same in JSON. Line ends and tabs stay.
 */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, (character) =>
    character === '\n' || character === '\t' ? character : escaped(character),
  );
}

/** The same for what belongs in one line, where such characters say nothing. */
export function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}\u2028\u2029]/gu, '');
}

function escaped(character: string): string {
  const units = Array.from({ length: character.length }, (_, index) => character.charCodeAt(index));
  return units.map((unit) => `\\u${unit.toString(16).padStart(4, '0')}`).join('');
}
