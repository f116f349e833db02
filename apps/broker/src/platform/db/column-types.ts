/**
 * Column types that must be parsed alike on both engines:
 * bigint as a number, date as its text (a Date would shift it by the time zone). By default, both engines return timestamptz
 * as a Date, json and jsonb parsed, numeric as text.
 */
export const int8 = 20;
export const int8Array = 1016;
export const date = 1082;
export const dateArray = 1182;

/** Parses a bigint. @throws RangeError past 2^53, where a number would silently have another value */
export function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number`);
  return value;
}

export function parseDate(text: string): string {
  return text;
}
