import { z } from 'zod';

// Times and cursors that come from outside: what passes here is a time that every database takes.

/** Zones reach from -12:00 to +14:00 in the world; PostgreSQL refuses 16:00 and more. */
const furthestOffsetMinutes = 14 * 60;
const firstMs = Date.parse('0001-01-01T00:00:00.000Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');
const dayMs = 24 * 60 * 60_000;
/** A fraction of any length is a time of ISO 8601; here it has what is left of so many characters. */
const longestText = 40;

const momentRule = 'must be a date and time of the years 1 to 9999, such as 2026-12-01T00:00:00Z';
const dayRule = 'must be a day such as 2026-12-01, or a date and time such as 2026-12-01T00:00:00Z';
const cursorRule = 'is not a cursor of this list';

const isoMoment = z.iso.datetime({ offset: true, error: momentRule });
const isoDay = z.iso.date();

/** The text of a moment, as it was written, for documents that are kept. */
export const momentTextSchema = isoMoment.refine((text) => readMoment(text) !== undefined, momentRule);

/** A moment. */
export const momentSchema = isoMoment.transform((text, context) => readMoment(text) ?? refuse(context, momentRule));

/** A day (UTC) from its first moment to before the next day, or a moment of a millisecond: from `from` to before `to`. */
export const daySchema = z.union([isoDay, isoMoment], dayRule).transform((text, context) => {
  const isDay = !text.includes('T');
  const from = readMoment(isDay ? `${text}T00:00:00Z` : text);
  return from ? { from, to: new Date(from.getTime() + (isDay ? dayMs : 1)) } : refuse(context, dayRule);
});
export type Day = z.output<typeof daySchema>;

/** Where a page of rows begins that are sorted by their time and id: after the row of this place. */
export type Place = { at: Date; id: string };

/** A cursor, which the list before answered as its nextCursor. */
export const cursorSchema = z
  .string()
  .max(100, cursorRule)
  .transform((text, context) => readCursor(text) ?? refuse(context, cursorRule));

export const writeCursor = ({ at, id }: Place): string => `${at.toISOString()}_${id}`;

/** The same of rows with a number for an id. */
export type NumberedPlace = { at: Date; id: number };

export const numberedCursorSchema = z
  .string()
  .max(100, cursorRule)
  .transform((text, context) => readNumberedCursor(text) ?? refuse(context, cursorRule));

export const writeNumberedCursor = ({ at, id }: NumberedPlace): string => `${at.toISOString()}_${id}`;

function readNumberedCursor(text: string): NumberedPlace | undefined {
  const [, time = '', id = ''] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([1-9]\d{0,14})$/.exec(text) ?? [];
  const at = readWrittenMoment(time);
  return at && { at, id: Number(id) };
}

const cursorPattern = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

function readCursor(text: string): Place | undefined {
  const [, time = '', id = ''] = cursorPattern.exec(text) ?? [];
  const at = readWrittenMoment(time);
  return at && { at, id };
}

/** 30 February is 2 March in JavaScript, and no time at all in a database. */
function readWrittenMoment(time: string): Date | undefined {
  const at = readMoment(time);
  return at?.toISOString() === time ? at : undefined;
}

/** @param text of the form of ISO 8601 with a zone, its month having that day */
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
