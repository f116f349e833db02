import { z } from 'zod';

// Times and cursors in requests. All accepted times are valid in every database.

/** Time zones range from -12:00 to +14:00; PostgreSQL rejects 16:00 and more. */
const furthestOffsetMinutes = 14 * 60;
const firstMs = Date.parse('0001-01-01T00:00:00.000Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
const dayMs = 24 * 60 * 60_000;
/** Length limit, because ISO 8601 allows a fraction of any length. */
const longestText = 40;

const momentRule = 'must be a date and time of the years 1 to 9999, such as 2026-12-01T00:00:00Z';
const dayRule = 'must be a day such as 2026-12-01, or a date and time such as 2026-12-01T00:00:00Z';
const cursorRule = 'is not a cursor of this list';

const isoMoment = z.iso.datetime({ offset: true, error: momentRule });
const isoDay = z.iso.date();

/** A moment kept as the original text, for stored documents. */
export const momentTextSchema = isoMoment.refine((text) => readMoment(text) !== undefined, momentRule);

export const momentSchema = isoMoment.transform((text, context) => readMoment(text) ?? refuse(context, momentRule));

/** A day (UTC) or a millisecond, as the interval from `from` to before `to`. */
export const daySchema = z.union([isoDay, isoMoment], dayRule).transform((text, context) => {
  const isDay = !text.includes('T');
  const from = readMoment(isDay ? `${text}T00:00:00Z` : text);
  return from ? { from, to: new Date(from.getTime() + (isDay ? dayMs : 1)) } : refuse(context, dayRule);
});
export type Day = z.output<typeof daySchema>;

/** Row after which a page begins, in a list sorted by time and id. */
export type Place = { at: Date; id: string };

/** The same for rows with numeric ids. */
export type NumberedPlace = { at: Date; id: number };

const cursorOf = <Id>(pattern: RegExp, idOf: (text: string) => Id) =>
  z
    .string()
    .max(100, cursorRule)
    .transform((text, context) => {
      const [, time = '', id = ''] = pattern.exec(text) ?? [];
      const at = readWrittenMoment(time);
      return at ? { at, id: idOf(id) } : refuse(context, cursorRule);
    });

/** A cursor, returned as nextCursor with the previous page. */
export const cursorSchema = cursorOf(
  /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/,
  String,
);
export const numberedCursorSchema = cursorOf(/^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([1-9]\d{0,14})$/, Number);

export const writeCursor = ({ at, id }: Place): string => `${at.toISOString()}_${id}`;
export const writeNumberedCursor = ({ at, id }: NumberedPlace): string => `${at.toISOString()}_${id}`;

/** Parses a time; undefined for days such as 30 February, which JavaScript reads as 2 March and databases reject. */
function readWrittenMoment(time: string): Date | undefined {
  const at = readMoment(time);
  return at?.toISOString() === time ? at : undefined;
}

/** @param text in ISO 8601 with a zone */
function readMoment(text: string): Date | undefined {
  const [, hours = 0, minutes = 0] = /[+-](\d\d):(\d\d)$/.exec(text) ?? [];
  if (text.length > longestText || Number(hours) * 60 + Number(minutes) > furthestOffsetMinutes) return undefined;
  const ms = Date.parse(text);
  return ms >= firstMs && ms <= lastMs ? new Date(ms) : undefined;
}

function refuse(context: z.RefinementCtx, message: string): never {
  context.addIssue({ code: 'custom', message });
  return z.NEVER;
}
