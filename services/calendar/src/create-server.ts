import type { McpServer } from '@modelcontextprotocol/server';
import type { ServiceCaller } from '@souk/service-kit/request-gate.ts';
import { serverFactory } from '@souk/service-kit/server-factory.ts';
import { eventTools } from './event-tools.ts';
import { icsTools } from './ics-tools.ts';
import type { CalendarParts } from './parts.ts';
import { addPromptsAndResources } from './prompts-and-resources.ts';
import { slotTools } from './slot-tools.ts';

const instructions =
  'Your own calendar. Times without an offset are in the time zone that you give, or in UTC. ' +
  'Every tool requires a signed-in user.';

/** Returns a factory of server objects, one for each connection of a caller. */
export function calendarServers(parts: CalendarParts): (caller: ServiceCaller) => McpServer {
  const tools = [...eventTools(parts), ...slotTools(parts), ...icsTools(parts)];
  return serverFactory({
    name: 'calendar',
    instructions,
    tools,
    addPromptsAndResources: (server, caller) => addPromptsAndResources(server, parts, caller),
  });
}
