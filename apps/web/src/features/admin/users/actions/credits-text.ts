const grouping = /[\s,_’']/g;

/** Returns the text of the field after typing: the digits, or 0 if it is not a number (spec part 2, section 5). */
export function creditsText(typed: string): string {
  const text = typed.replaceAll(grouping, '');
  return isNumber(typed) ? text.replace(/^0+(?=\d)/, '') : '0';
}

/** Whether a text is a number. Fractions are, and are refused later: without its point, 1.5 would become 15. */
export const isNumber = (typed: string): boolean => /^-?(\d+(\.\d*)?|\.\d+)$/.test(typed.replaceAll(grouping, ''));

const maxCredits = 1_000_000_000;

/** Returns the fault of the field's text; undefined if it is valid. */
export function creditsFault(text: string): string | undefined {
  if (!/^-?\d+$/.test(text)) return 'Enter a whole number.';
  if (Number(text) < 0) return 'The balance cannot be below 0.';
  return Number(text) > maxCredits ? 'The balance can be 1,000,000,000 at most.' : undefined;
}
