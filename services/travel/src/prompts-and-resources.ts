import { ResourceNotFoundError, ResourceTemplate, type McpServer } from '@modelcontextprotocol/server';
import * as z from 'zod';
import { allAirports, type Airport } from './airports.ts';

const mimeType = 'application/json';

const tripSchema = z.object({
  from: z.string().max(100).describe('City or airport to leave from'),
  to: z.string().max(100).describe('City or airport to go to'),
  date: z.string().max(40).optional().describe('Day of departure'),
});

export function addPromptsAndResources(server: McpServer): void {
  server.registerPrompt(
    'plan_a_trip',
    {
      title: 'Plan a trip',
      description: 'Asks for a trip between two places: airports, flight time, time difference, and a saved itinerary.',
      argsSchema: tripSchema,
    },
    ({ from, to, date }) => ({
      messages: [
        {
          role: 'user',
          content: {
            type: 'text',
            text:
              `Plan a trip from ${from} to ${to}${date === undefined ? '' : ` on ${date}`}. Use find_airports for both ` +
              'places, distance for the way and the flight time, and local_times for the difference of the clocks. ' +
              'Tell me what to expect, then offer to save it with save_itinerary.',
          },
        },
      ],
    }),
  );

  server.registerResource(
    'airports',
    'travel://airports',
    { title: 'All airports', description: 'Every airport that this service knows.', mimeType },
    (uri) => ({ contents: [{ uri: uri.href, mimeType, text: JSON.stringify(allAirports()) }] }),
  );

  server.registerResource(
    'airport',
    // Airports are not listed individually, because travel://airports lists them all.
    new ResourceTemplate('travel://airports/{iata}', { list: undefined }),
    { title: 'One airport', description: 'One airport by its IATA code.', mimeType },
    (uri, { iata }) => ({
      contents: [{ uri: uri.href, mimeType, text: JSON.stringify(requireResource(uri.href, iata)) }],
    }),
  );
}

function requireResource(uri: string, iata: string | string[] | undefined): Airport {
  const airport = allAirports().find((known) => known.iata === String(iata).toUpperCase());
  if (!airport) throw new ResourceNotFoundError(uri);
  return airport;
}
