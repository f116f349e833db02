import { defineTool, reading, type ServiceTool, ToolRefusal } from '@souk/service-kit/tools.ts';
import { zoneTime } from '@souk/service-kit/zone-time.ts';
import * as z from 'zod';
import { airportSchema, findAirports, iataSchema, requireAirport } from './airports.ts';
import type { TravelParts } from './parts.ts';
import { distanceKm, durationText, flightMinutes, initialBearing, kmToMiles, round } from './great-circle.ts';
import { planRoundTrip } from './round-trip.ts';

/** An instant in a tool's input; default: now. */
export const instantSchema = z.iso
  .datetime({ offset: true })
  .describe('ISO 8601 with offset, such as 2026-07-01T09:00:00Z');

/** Tools that work without a user. */
export function basicTools(parts: TravelParts): ServiceTool[] {
  return [findAirportsTool, distanceTool, localTimesTool(parts), planRoundTripTool(parts)];
}

const findAirportsTool = defineTool({
  name: 'find_airports',
  title: 'Find airports',
  description: 'Finds airports by code, name, city or country, with their position and time zone.',
  annotations: reading,
  input: z.object({
    query: z.string().trim().min(1).max(100).describe('Words of the code, name, city or country'),
    country: z.string().trim().min(1).max(60).optional().describe('Only airports of this country'),
    limit: z.int().min(1).max(50).default(10),
  }),
  output: z.object({ airports: z.array(airportSchema) }),
  run({ query, country, limit }) {
    const airports = findAirports(query, country, limit);
    const lines = airports.map((a) => `${a.iata}  ${a.name}, ${a.city}, ${a.country}  (${a.timeZone})`);
    return { structured: { airports }, text: lines.join('\n') || 'No airport matches.' };
  },
});

const distanceTool = defineTool({
  name: 'distance',
  title: 'Distance between airports',
  description:
    'Measures the great-circle distance between two airports in km and miles, and estimates the flight time.',
  annotations: reading,
  input: z.object({ from: iataSchema, to: iataSchema }),
  output: z.object({
    from: airportSchema,
    to: airportSchema,
    km: z.number(),
    miles: z.number(),
    initialBearingDegrees: z.number().describe('Direction of departure, clockwise from north'),
    flightMinutes: z.int().describe('Gate to gate, direct, without wind'),
  }),
  run(input) {
    const from = requireAirport(input.from);
    const to = requireAirport(input.to);
    const km = distanceKm(from, to);
    const minutes = flightMinutes(km);
    return {
      structured: {
        from,
        to,
        km: round(km, 1),
        miles: round(kmToMiles(km), 1),
        initialBearingDegrees: round(initialBearing(from, to)),
        flightMinutes: minutes,
      },
      text: `${from.iata} to ${to.iata}: ${round(km)} km (${round(kmToMiles(km))} miles), about ${durationText(minutes)}.`,
    };
  },
});

const localTimesTool = ({ clock }: TravelParts) =>
  defineTool({
    name: 'local_times',
    title: 'Local times at airports',
    description: 'Tells the local time, UTC offset and daylight saving at airports, now or at a given time.',
    annotations: reading,
    input: z.object({ airports: z.array(iataSchema).min(1).max(20), at: instantSchema.optional() }),
    output: z.object({
      at: z.string().describe('The instant in UTC'),
      times: z.array(
        z.object({
          iata: z.string(),
          city: z.string(),
          timeZone: z.string(),
          localTime: z.string(),
          utcOffsetMinutes: z.int(),
          daylightSaving: z.boolean(),
        }),
      ),
    }),
    run({ airports, at }) {
      const instantMs = at === undefined ? clock.now() : Date.parse(at);
      const times = airports.map(requireAirport).map(({ iata, city, timeZone }) => ({
        iata,
        city,
        timeZone,
        ...zoneTime(timeZone, instantMs),
      }));
      const lines = times.map((t) => `${t.iata}  ${t.localTime}  ${t.city}${t.daylightSaving ? ', summer time' : ''}`);
      return { structured: { at: new Date(instantMs).toISOString(), times }, text: lines.join('\n') };
    },
  });

const planRoundTripTool = ({ slowCalls }: TravelParts) =>
  defineTool({
    name: 'plan_round_trip',
    title: 'Plan a round trip',
    description:
      'Searches for a short round trip through up to 60 airports from the first one, and reports progress; takes about six seconds.',
    annotations: reading,
    input: z.object({
      airports: z.array(iataSchema).min(3).max(60).describe('Where to go; the trip starts and ends at the first'),
      searchSeconds: z.number().min(1).max(60).default(6).describe('How long to search'),
    }),
    output: z.object({
      order: z
        .array(z.string())
        .describe('IATA codes in the order of travel; the trip returns from the last one to the first'),
      km: z.number(),
      savedKm: z.number().describe('Compared with always flying to the nearest remaining airport'),
      triedRoutes: z.int(),
    }),
    async run({ airports: codes, searchSeconds }, call) {
      const airports = codes.map(requireAirport);
      if (new Set(codes).size < codes.length) throw new ToolRefusal('An airport is named twice.');
      const trip = await slowCalls.run(call.subject ?? '', () => planRoundTrip(airports, searchSeconds * 1_000, call));
      const order = trip.order.map((airport) => airport.iata);
      return {
        structured: {
          order,
          km: round(trip.km),
          savedKm: round(trip.firstKm - trip.km),
          triedRoutes: trip.triedRoutes,
        },
        text: `${[...order, order[0]].join(' - ')}: ${round(trip.km)} km.`,
      };
    },
  });
