/** Controls, format characters that hide text or turn it around, private and unpaired ones, line separators. */
const hidden = /[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/u;

export const hasHiddenCharacters = (text: string): boolean => hidden.test(text);

/**
 * A name or user agent that a client gave of itself: without characters that hide or turn text around, and short.
 * What is left may still lie: the screens show it as text.
 */
export function cleanLabel(text: string | undefined, maxCharacters = 80): string {
  const shown = (text ?? '').replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]+/gu, ' ').replace(/\s+/g, ' ');
  return [...shown.trim()].slice(0, maxCharacters).join('');
}
