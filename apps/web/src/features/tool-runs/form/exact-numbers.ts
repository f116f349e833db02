/** The error for a number that the browser would change. */
export const tooManyDigits = 'This number has more digits than can be sent exactly.';

const isWhole = /^[+-]?\d+(?:\.0*)?(?:[eE]\+?\d+)?$/;

/**
 * Returns whether the browser keeps a number as typed. It changes integers beyond 2^53, 1E400, and numbers with more
 * digits than a double holds.
 */
export function keepsDigits(text: string): boolean {
  const number = Number(text);
  if (!Number.isFinite(number)) return false;
  if (isWhole.test(text)) return Number.isSafeInteger(number);
  return digitsOf(text) === digitsOf(String(number));
}

export function hasInexactNumber(json: string): boolean {
  return (withoutTexts(json).match(/-?\d[\d.eE+-]*/g) ?? []).some((number) => !keepsDigits(number));
}

/** Removes the contents of strings from JSON text. */
function withoutTexts(json: string): string {
  let left = '';
  let from = 0;
  for (let at = json.indexOf('"'); at !== -1; at = json.indexOf('"', from)) {
    left += `${json.slice(from, at)}""`;
    let end = at + 1;
    while (end < json.length && json[end] !== '"') end += json[end] === '\\' ? 2 : 1;
    from = end + 1;
  }
  return left + json.slice(from);
}

/** Returns the significant digits: without the point, the exponent, and zeros around them. */
function digitsOf(text: string): string {
  const [mantissa = ''] = text.toLowerCase().split('e');
  const digits = mantissa.replaceAll(/\D/g, '').replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
