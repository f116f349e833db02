import { adding, changing, defineTool, reading, type ServiceTool } from '@souk/service-kit/tools.ts';
import * as z from 'zod';
import { iataSchema } from './airports.ts';
import type { TravelParts } from './parts.ts';
import { itinerarySchema } from './itineraries.ts';

export function itineraryTools(parts: TravelParts): ServiceTool[] {
  const { itineraries, clock, newId } = parts;

  return [
    defineTool({
      name: 'save_itinerary',
      title: 'Save an itinerary',
      description: 'Saves a route of at least two airports under a name, for you only.',
      annotations: adding,
      input: z.object({
        name: z.string().trim().min(1).max(100),
        stops: z.array(iataSchema).min(2).max(50).describe('IATA codes in the order of travel'),
        departureDate: z.iso.date().optional().describe('YYYY-MM-DD'),
        note: z.string().max(2_000).default(''),
      }),
      output: z.object({ itinerary: itinerarySchema }),
      run({ name, stops, departureDate, note }, call) {
        const subject = call.requireUser();
        const draft = { name, stops, departureDate: departureDate ?? null, note };
        const itinerary = itineraries.save(subject, draft, newId(), clock.now());
        return {
          structured: { itinerary },
          text: `Saved "${name}" as ${itinerary.id}: ${itinerary.stops.join(' - ')}, ${itinerary.distanceKm} km.`,
        };
      },
    }),

    defineTool({
      name: 'list_itineraries',
      title: 'List your itineraries',
      description: 'Lists the itineraries that you saved, oldest first.',
      annotations: reading,
      input: z.object({}),
      output: z.object({ itineraries: z.array(itinerarySchema) }),
      run(_, call) {
        const mine = itineraries.list(call.requireUser());
        const lines = mine.map((trip) => `${trip.id}  ${trip.name}: ${trip.stops.join(' - ')}`);
        return { structured: { itineraries: mine }, text: lines.join('\n') || 'You have no itineraries.' };
      },
    }),

    defineTool({
      name: 'delete_itinerary',
      title: 'Delete an itinerary',
      description: 'Permanently deletes one of your itineraries.',
      annotations: changing,
      input: z.object({ id: z.string().max(64) }),
      output: z.object({ deleted: z.boolean().describe('False if there is no such itinerary') }),
      run({ id }, call) {
        const deleted = itineraries.remove(call.requireUser(), id);
        return { structured: { deleted }, text: deleted ? 'Deleted.' : `You have no itinerary ${id}.` };
      },
    }),
  ];
}
