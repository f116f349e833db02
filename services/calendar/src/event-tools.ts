import { adding, changing, defineTool, reading, type ServiceTool, ToolRefusal } from '@souk/service-kit/tools.ts';
import * as z from 'zod';
import type { CalendarParts } from './parts.ts';
import type { CalendarEvent, Events } from './events.ts';
import { timeSchema, timeZoneSchema, toInstantMs } from './instant.ts';
import { eventLine, eventSchema, presentEvent, type EventView } from './present.ts';

const weekMs = 7 * 86_400_000;
const conflictsSchema = z.array(eventSchema).describe('Your other events at the same time');

export function eventTools(parts: CalendarParts): ServiceTool[] {
  return [createEventTool(parts), listEventsTool(parts), moveEventTool(parts), deleteEventTool(parts)];
}

const createEventTool = ({ events, clock, newId }: CalendarParts) =>
  defineTool({
    name: 'create_event',
    title: 'Create an event',
    description: 'Adds an event to your calendar and names other events at the same time.',
    annotations: adding,
    input: z.object({
      title: z.string().trim().min(1).max(200),
      start: timeSchema,
      end: timeSchema,
      timeZone: timeZoneSchema.default('UTC'),
      location: z.string().max(200).default(''),
      notes: z.string().max(4_000).default(''),
    }),
    output: z.object({ event: eventSchema, conflicts: conflictsSchema }),
    run({ title, start, end, timeZone, location, notes }, call) {
      const subject = call.requireUser();
      const times = { startMs: toInstantMs(start, timeZone), endMs: toInstantMs(end, timeZone) };
      const saved = events.add(subject, { title, ...times, timeZone, location, notes }, newId(), clock.now());
      const event = presentEvent(saved);
      const conflicts = conflictsOf(events, subject, saved);
      return {
        structured: { event, conflicts },
        text: `Created: ${eventLine(event)}${conflictText(conflicts.length)}`,
      };
    },
  });

const listEventsTool = ({ events, clock }: CalendarParts) =>
  defineTool({
    name: 'list_events',
    title: 'List events',
    description: 'Lists your events in order of their start; by default those of the next seven days.',
    annotations: reading,
    input: z.object({
      from: timeSchema.optional(),
      to: timeSchema.optional(),
      timeZone: timeZoneSchema.default('UTC'),
      limit: z.int().min(1).max(500).default(100),
    }),
    output: z.object({
      events: z.array(eventSchema),
      more: z.boolean().describe('True if there are more events than the limit'),
    }),
    run({ from, to, timeZone, limit }, call) {
      const subject = call.requireUser();
      const fromMs = from === undefined ? clock.now() : toInstantMs(from, timeZone);
      const toMs = to === undefined ? fromMs + weekMs : toInstantMs(to, timeZone);
      if (toMs <= fromMs) throw new ToolRefusal('"to" must be after "from".');
      const all = events.between(subject, fromMs, toMs);
      const shown = all.slice(0, limit).map(presentEvent);
      return {
        structured: { events: shown, more: all.length > limit },
        text: shown.map(eventLine).join('\n') || 'No events.',
      };
    },
  });

const moveEventTool = ({ events, clock }: CalendarParts) =>
  defineTool({
    name: 'move_event',
    title: 'Move an event',
    description: 'Moves one of your events to another time. Without an end it keeps its length.',
    annotations: changing,
    input: z.object({
      id: z.string().max(64),
      start: timeSchema,
      end: timeSchema.optional(),
      timeZone: timeZoneSchema.optional().describe("For times without an offset; by default the event's own"),
    }),
    output: z.object({ event: eventSchema, conflicts: conflictsSchema }),
    run({ id, start, end, timeZone }, call) {
      const subject = call.requireUser();
      const before = events.find(subject, id);
      const zone = timeZone ?? before.timeZone;
      const startMs = toInstantMs(start, zone);
      const endMs = end === undefined ? startMs + before.endMs - before.startMs : toInstantMs(end, zone);
      const moved = events.move(subject, id, startMs, endMs, clock.now());
      const event = presentEvent(moved);
      const conflicts = conflictsOf(events, subject, moved);
      return {
        structured: { event, conflicts },
        text: `Moved: ${eventLine(event)}${conflictText(conflicts.length)}`,
      };
    },
  });

const deleteEventTool = ({ events }: CalendarParts) =>
  defineTool({
    name: 'delete_event',
    title: 'Delete an event',
    description: 'Permanently deletes one of your events.',
    annotations: changing,
    input: z.object({ id: z.string().max(64) }),
    output: z.object({ deleted: z.boolean().describe('False if there is no such event') }),
    run({ id }, call) {
      const deleted = events.remove(call.requireUser(), id);
      return { structured: { deleted }, text: deleted ? 'Deleted.' : `You have no event ${id}.` };
    },
  });

function conflictsOf(events: Events, subject: string, { id, startMs, endMs }: CalendarEvent): EventView[] {
  return events
    .between(subject, startMs, endMs)
    .filter((other) => other.id !== id)
    .map(presentEvent);
}

function conflictText(count: number): string {
  if (count === 0) return '';
  return count === 1 ? '. It overlaps with another event.' : `. It overlaps with ${count} other events.`;
}
