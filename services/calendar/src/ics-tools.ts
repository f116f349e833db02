import { changing, defineTool, reading, type ServiceTool, ToolRefusal } from '@souk/service-kit/tools.ts';
import * as z from 'zod';
import type { CalendarParts } from './parts.ts';
import { readIcs } from './ics-read.ts';
import { writeIcs } from './ics-write.ts';
import { timeSchema, timeZoneSchema, toInstantMs } from './instant.ts';

const maxIcsCharacters = 400_000;
const maxImported = 500;
/** Steps of progress before the import is written, six seconds in which it can be cancelled. */
const importSteps = 12;
const importStepMs = 500;

export function icsTools(parts: CalendarParts): ServiceTool[] {
  const { events, slowCalls, clock, newId } = parts;

  return [
    defineTool({
      name: 'export_ics',
      title: 'Export as iCalendar',
      description: 'Exports your events, all of them or a range, as an iCalendar file (.ics) for other calendar apps.',
      annotations: reading,
      input: z.object({
        from: timeSchema.optional(),
        to: timeSchema.optional(),
        timeZone: timeZoneSchema.default('UTC'),
      }),
      output: z.object({ events: z.int(), ics: z.string().describe('RFC 5545') }),
      run({ from, to, timeZone }, call) {
        const subject = call.requireUser();
        const fromMs = from === undefined ? 0 : toInstantMs(from, timeZone);
        const toMs = to === undefined ? Number.MAX_SAFE_INTEGER : toInstantMs(to, timeZone);
        const chosen = events.between(subject, fromMs, toMs);
        const ics = writeIcs(chosen, clock.now());
        return {
          structured: { events: chosen.length, ics },
          text: `${chosen.length} events.`,
          extra: [
            { type: 'resource', resource: { uri: 'calendar://export.ics', mimeType: 'text/calendar', text: ics } },
          ],
        };
      },
    }),

    defineTool({
      name: 'import_ics',
      title: 'Import an iCalendar file',
      description:
        'Imports the events of an iCalendar file (.ics) and replaces those with the same UID. Reports progress for six seconds; canceling before the end changes nothing.',
      annotations: changing,
      input: z.object({ ics: z.string().min(1).max(maxIcsCharacters).describe('The text of the file') }),
      output: z.object({
        added: z.int(),
        replaced: z.int(),
        skipped: z.array(z.object({ title: z.string(), reason: z.string() })),
      }),
      async run({ ics }, call) {
        const subject = call.requireUser();
        const { events: read, skipped } = readIcs(ics);
        if (read.length + skipped.length === 0) throw new ToolRefusal('There is no event in this file.');
        if (read.length > maxImported) throw new ToolRefusal(`Import at most ${maxImported} events at once.`);
        return slowCalls.run(subject, async () => {
          for (let step = 1; step <= importSteps; step += 1) {
            await call.pause(importStepMs);
            await call.report(step, importSteps, `${read.length} events are about to be written`);
          }
          call.signal.throwIfAborted();
          const { added, replaced } = events.merge(subject, read, newId, clock.now());
          return {
            structured: { added, replaced, skipped },
            text: `${added} events added, ${replaced} replaced, ${skipped.length} skipped.`,
          };
        });
      },
    }),
  ];
}
