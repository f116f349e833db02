import { McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '@souk/service-kit/clock.ts';
import type { ServiceCaller } from '@souk/service-kit/request-gate.ts';
import type { SlowCalls } from '@souk/service-kit/slow-calls.ts';
import { addBasicTools } from './basic-tools.ts';
import { addEnterpriseTools } from './enterprise-tools.ts';
import type { Itineraries } from './itineraries.ts';
import { addItineraryTools } from './itinerary-tools.ts';
import { addProTools } from './pro-tools.ts';
import { addPromptsAndResources } from './prompts-and-resources.ts';

export type Edition = 'travel' | 'travel-pro' | 'travel-enterprise';

/** What the tools work with. */
export type TravelParts = { itineraries: Itineraries; slowCalls: SlowCalls; clock: Clock; newId: () => string };

const instructions =
  'Facts about airports: where they are, how far apart, what time it is there. Airports are named by IATA code; ' +
  'find_airports knows the codes. Distances are great circles; flight times are estimates without wind.';

/** A server object for one request or session: the tools of `edition`, speaking for `caller`. */
export function createTravelServer(edition: Edition, parts: TravelParts, caller: ServiceCaller): McpServer {
  const server = new McpServer({ name: edition, version: '1.0.0' }, { instructions });
  addBasicTools(server, parts, caller);
  addItineraryTools(server, parts, caller);
  addPromptsAndResources(server);
  if (edition !== 'travel') addProTools(server, parts);
  if (edition === 'travel-enterprise') addEnterpriseTools(server, parts, caller);
  return server;
}
