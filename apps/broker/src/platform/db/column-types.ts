/**
 * How columns come back, the same on both engines (data.md of the design, "int8 is a number here and a string in pg"):
 * bigint as a number, date as its text (a Date would shift it by the time zone). Both engines do the rest by default:
 * timestamptz as a Date, json and jsonb parsed, numeric as text.
 */
export const int8 = 20;
export const int8Array = 1016;
export const date = 1082;
export const dateArray = 1182;

/** Takes the text of a bigint; throws a RangeError past 2^53, where a number would silently have another value. */
export function parseBigint(text: string): number {
  const value = Number(text);
  if (!Number.isSafeInteger(value)) throw new RangeError(`bigint ${text} does not fit a number`);
  return value;
}

export function parseDate(text: string): string {
  return text;
}
