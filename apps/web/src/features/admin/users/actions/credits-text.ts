const grouping = /[\s,_’']/g;

/** What the field shows after something was typed: the digits, and 0 for what is no number (spec part 2, section 5). */
export function creditsText(typed: string): string {
  const text = typed.replaceAll(grouping, '');
  return isNumber(typed) ? text.replace(/^0+(?=\d)/, '') : '0';
}

/** A fraction stays as it was typed and is refused: without its point it would be ten times as much. */
export const isNumber = (typed: string): boolean => /^-?(\d+(\.\d*)?|\.\d+)$/.test(typed.replaceAll(grouping, ''));

const maxCredits = 1_000_000_000;

/** What is wrong with the text of the field. Undefined: nothing. */
export function creditsFault(text: string): string | undefined {
  if (!/^-?\d+$/.test(text)) return 'Enter a whole number.';
  if (Number(text) < 0) return 'The balance cannot be below 0.';
  return Number(text) > maxCredits ? 'The balance can be 1,000,000,000 at most.' : undefined;
}
