import { ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server';
import type { ServiceCaller } from '@souk/service-kit/request-gate.ts';
import { isTimeZone } from '@souk/service-kit/zone-time.ts';
import * as z from 'zod';
import type { CalendarParts } from './parts.ts';
import { dayAround, toLocalText } from './instant.ts';
import { presentEvent } from './present.ts';

const mimeType = 'application/json';

const reviewSchema = z.object({
  timeZone: z.string().max(64).refine(isTimeZone).optional().describe('IANA time zone, such as Europe/Berlin'),
});

export function addPromptsAndResources(server: McpServer, parts: CalendarParts, caller: ServiceCaller): void {
  const { events, clock } = parts;

  server.registerPrompt(
    'weekly_review',
    {
      title: 'Weekly review',
      description: 'Asks for a look back at the last seven days and ahead at the next seven.',
      argsSchema: reviewSchema,
    },
    ({ timeZone = 'UTC' }) => {
      const today = toLocalText(clock.now(), timeZone).slice(0, 10);
      const text =
        `Today is ${today} (${timeZone}). With list_events, read my events of the seven days before and the seven days ` +
        'after today. Sum up what the past week was spent on, name collisions and days without a break in the coming ' +
        'week, and with find_free_slots propose two hours for quiet work.';
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  );

  server.registerResource(
    'today',
    'calendar://today',
    {
      title: "Today's events",
      description: 'Your events of today, in the time zone of the event that you changed last.',
      mimeType,
      cacheHint: { ttlMs: 0, cacheScope: 'private' },
    },
    (uri) => {
      if (caller.subject === undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'calendar://today requires a signed-in user.');
      }
      const timeZone = events.lastTimeZone(caller.subject);
      const { fromMs, toMs } = dayAround(clock.now(), timeZone);
      const today = {
        date: toLocalText(fromMs, timeZone).slice(0, 10),
        timeZone,
        events: events.between(caller.subject, fromMs, toMs).map(presentEvent),
      };
      return { contents: [{ uri: uri.href, mimeType, text: JSON.stringify(today) }] };
    },
  );
}
