import type { McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '@souk/service-kit/clock.ts';
import type { ServiceCaller } from '@souk/service-kit/request-gate.ts';
import { serverFactory } from '@souk/service-kit/server-factory.ts';
import type { SlowCalls } from '@souk/service-kit/slow-calls.ts';
import type { Events } from './events.ts';
import { eventTools } from './event-tools.ts';
import { icsTools } from './ics-tools.ts';
import { addPromptsAndResources } from './prompts-and-resources.ts';
import { slotTools } from './slot-tools.ts';

/** What the tools work with. */
export type CalendarParts = { events: Events; slowCalls: SlowCalls; clock: Clock; newId: () => string };

const instructions =
  'A calendar of your own. Times without an offset are clock times in the time zone that you give (UTC unless you say). ' +
  'Every tool needs a signed-in person.';

/** How this process makes a server object for one connection, speaking for a caller. */
export function calendarServers(parts: CalendarParts): (caller: ServiceCaller) => McpServer {
  const tools = [...eventTools(parts), ...slotTools(parts), ...icsTools(parts)];
  return serverFactory({
    name: 'calendar',
    instructions,
    tools,
    addPromptsAndResources: (server, caller) => addPromptsAndResources(server, parts, caller),
  });
}
