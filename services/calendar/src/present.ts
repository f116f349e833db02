import * as z from 'zod';
import type { CalendarEvent } from './events.ts';
import { toLocalText } from './instant.ts';

export const eventSchema = z.object({
  id: z.string(),
  title: z.string(),
  start: z.string().describe('ISO 8601 with the offset of the time zone'),
  end: z.string(),
  timeZone: z.string(),
  location: z.string(),
  notes: z.string(),
});
export type EventView = z.infer<typeof eventSchema>;

export function presentEvent({ id, title, startMs, endMs, timeZone, location, notes }: CalendarEvent): EventView {
  return {
    id,
    title,
    start: toLocalText(startMs, timeZone),
    end: toLocalText(endMs, timeZone),
    timeZone,
    location,
    notes,
  };
}

export function eventLine({ id, title, start, end }: EventView): string {
  return `${start} to ${end}  ${title}  (${id})`;
}
