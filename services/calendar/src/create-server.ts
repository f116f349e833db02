import { McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '@souk/service-kit/clock.ts';
import type { ServiceCaller } from '@souk/service-kit/request-gate.ts';
import type { SlowCalls } from '@souk/service-kit/slow-calls.ts';
import type { Events } from './events.ts';
import { addEventTools } from './event-tools.ts';
import { addIcsTools } from './ics-tools.ts';
import { addPromptsAndResources } from './prompts-and-resources.ts';
import { addSlotTools } from './slot-tools.ts';

/** What the tools work with. */
export type CalendarParts = { events: Events; slowCalls: SlowCalls; clock: Clock; newId: () => string };

const instructions =
  'A calendar of your own. Times without an offset are clock times in the time zone that you give (UTC unless you say). ' +
  'Every tool needs a signed-in person.';

/** A server object for one connection, speaking for `caller`. */
export function createCalendarServer(parts: CalendarParts, caller: ServiceCaller): McpServer {
  const server = new McpServer({ name: 'calendar', version: '1.0.0' }, { instructions });
  addEventTools(server, parts, caller);
  addSlotTools(server, parts, caller);
  addIcsTools(server, parts, caller);
  addPromptsAndResources(server, parts, caller);
  return server;
}
