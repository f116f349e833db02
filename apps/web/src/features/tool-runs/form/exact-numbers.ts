/** What people are told of a number that a browser would send changed. */
export const tooManyDigits = 'This number has more digits than can be sent exactly.';

const isWhole = /^[+-]?\d+(?:\.0*)?(?:[eE]\+?\d+)?$/;

/** Whether a browser keeps a number as it was typed: not beyond 2^53, 1E400, or with more decimals than a double holds. */
export function keepsDigits(text: string): boolean {
  const number = Number(text);
  if (!Number.isFinite(number)) return false;
  if (isWhole.test(text)) return Number.isSafeInteger(number);
  return digitsOf(text) === digitsOf(String(number));
}

/** Whether a JSON text has a number that it does not keep. */
export function hasInexactNumber(json: string): boolean {
  return (withoutTexts(json).match(/-?\d[\d.eE+-]*/g) ?? []).some((number) => !keepsDigits(number));
}

/** JSON text without what stands between its quotes. */
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

/** The digits that say something: without the point, the exponent, and zeros around them. */
function digitsOf(text: string): string {
  const [mantissa = ''] = text.toLowerCase().split('e');
  const digits = mantissa.replaceAll(/\D/g, '').replace(/^0+/, '');
  let end = digits.length;
  while (digits[end - 1] === '0') end--;
  return digits.slice(0, end);
}
