import type { McpServer } from '@modelcontextprotocol/server';
import type { ServiceCaller } from '@souk/service-kit/request-gate.ts';
import { serverFactory } from '@souk/service-kit/server-factory.ts';
import { basicTools } from './basic-tools.ts';
import { enterpriseTools } from './enterprise-tools.ts';
import { itineraryTools } from './itinerary-tools.ts';
import type { TravelParts } from './parts.ts';
import { proTools } from './pro-tools.ts';
import { addPromptsAndResources } from './prompts-and-resources.ts';

export type Edition = 'travel' | 'travel-pro' | 'travel-enterprise';

const instructions =
  'Facts about airports: where they are, how far apart, what time it is there. Airports are named by IATA code; ' +
  'find_airports knows the codes. Distances are great circles; flight times are estimates without wind.';

/** Returns a factory of server objects with the tools of `edition`, one for each request or session. */
export function travelServers(edition: Edition, parts: TravelParts): (caller: ServiceCaller) => McpServer {
  const tools = [
    ...basicTools(parts),
    ...itineraryTools(parts),
    ...(edition === 'travel' ? [] : proTools(parts)),
    ...(edition === 'travel-enterprise' ? enterpriseTools(parts) : []),
  ];
  return serverFactory({ name: edition, instructions, tools, addPromptsAndResources });
}
