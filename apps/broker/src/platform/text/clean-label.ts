/** Control characters, format characters that hide or reverse text, private and unpaired ones, line separators. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u;

export const hasHiddenCharacters = (text: string): boolean => hidden.test(text);

/** Cleans a name or user agent that a client claims: removes characters that hide or reverse text, and shortens it. */
export function cleanLabel(text: string | undefined, maxCharacters = 80): string {
  const shown = (text ?? '').replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]+/gu, ' ').replace(/\s+/g, ' ');
  return [...shown.trim()].slice(0, maxCharacters).join('');
}
