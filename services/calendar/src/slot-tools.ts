import { defineTool, reading, type ServiceTool, ToolRefusal } from '@souk/service-kit/tools.ts';
import * as z from 'zod';
import type { CalendarParts } from './parts.ts';
import { freeSlots } from './free-slots.ts';
import { timeSchema, timeZoneSchema, toInstantMs, toLocalText } from './instant.ts';

const minuteMs = 60_000;
const longestRangeMs = 93 * 86_400_000;

const timeOfDaySchema = z
  .string()
  .regex(/^(([01]\d|2[0-3]):[0-5]\d|24:00)$/, 'must be a time of day such as 09:00')
  .describe('Time of day, 00:00 to 24:00');

export function slotTools({ events }: CalendarParts): ServiceTool[] {
  return [
    defineTool({
      name: 'find_free_slots',
      title: 'Find free slots',
      description: 'Finds free time between your events within working hours, up to three months ahead.',
      annotations: reading,
      input: z.object({
        from: timeSchema,
        to: timeSchema,
        durationMinutes: z.int().min(5).max(1_440),
        timeZone: timeZoneSchema.default('UTC'),
        dayStart: timeOfDaySchema.default('09:00'),
        dayEnd: timeOfDaySchema.default('17:00'),
        weekdaysOnly: z.boolean().default(true),
        limit: z.int().min(1).max(200).default(20),
      }),
      output: z.object({
        slots: z.array(z.object({ start: z.string(), end: z.string(), minutes: z.int() })),
      }),
      run({ from, to, durationMinutes, timeZone, dayStart, dayEnd, weekdaysOnly, limit }, call) {
        const subject = call.requireUser();
        const range = { startMs: toInstantMs(from, timeZone), endMs: toInstantMs(to, timeZone) };
        if (range.endMs <= range.startMs) throw new ToolRefusal('"to" must be after "from".');
        if (range.endMs - range.startMs > longestRangeMs) throw new ToolRefusal('The range can be at most 93 days.');
        const hours = { fromMinute: minuteOf(dayStart), toMinute: minuteOf(dayEnd), timeZone, weekdaysOnly };
        if (hours.toMinute <= hours.fromMinute) throw new ToolRefusal('dayEnd must be after dayStart.');
        const busy = events.between(subject, range.startMs, range.endMs);
        const slots = freeSlots(busy, range, hours, durationMinutes * minuteMs)
          .slice(0, limit)
          .map(({ startMs, endMs }) => ({
            start: toLocalText(startMs, timeZone),
            end: toLocalText(endMs, timeZone),
            minutes: Math.floor((endMs - startMs) / minuteMs),
          }));
        const text = slots.map((slot) => `${slot.start} to ${slot.end}  (${slot.minutes} min)`).join('\n');
        return { structured: { slots }, text: text || 'No free slot of that length.' };
      },
    }),
  ];
}

function minuteOf(timeOfDay: string): number {
  const [hours, minutes] = timeOfDay.split(':').map(Number);
  return (hours ?? 0) * 60 + (minutes ?? 0);
}
