import { defineTool, reading, type ServiceTool } from '@souk/service-kit/tools.ts';
import { zoneTime } from '@souk/service-kit/zone-time.ts';
import * as z from 'zod';
import { allAirports, iataSchema, requireAirport } from './airports.ts';
import { carbonKg } from './carbon.ts';
import type { TravelParts } from './parts.ts';
import { distanceKm, durationText, flightMinutes, kmToMiles, round } from './great-circle.ts';
import type { Itinerary } from './itineraries.ts';
import { legsOf } from './pro-tools.ts';

/** Tools that travel-enterprise adds, for teams. */
export function enterpriseTools(parts: TravelParts): ServiceTool[] {
  return [meetingPointTool, batchDistancesTool, itineraryReportTool(parts)];
}

const meetingPointTool = defineTool({
  name: 'meeting_point',
  title: 'Find a meeting point',
  description:
    'Ranks airports where a team can meet with the least flying, in total or for the person who flies furthest.',
  annotations: reading,
  input: z.object({
    team: z
      .array(z.object({ from: iataSchema, people: z.int().min(1).max(1_000).default(1) }))
      .min(2)
      .max(50),
    fair: z.boolean().default(false).describe('True: rank by the longest journey, not by the total'),
    limit: z.int().min(1).max(20).default(5),
  }),
  output: z.object({
    places: z.array(
      z.object({
        iata: z.string(),
        city: z.string(),
        country: z.string(),
        totalKm: z.number(),
        longestKm: z.number(),
      }),
    ),
  }),
  run({ team, fair, limit }) {
    const origins = team.map(({ from, people }) => ({ origin: requireAirport(from), people }));
    const places = allAirports()
      .map((place) => {
        const ways = origins.map(({ origin, people }) => ({ km: distanceKm(origin, place), people }));
        return {
          iata: place.iata,
          city: place.city,
          country: place.country,
          totalKm: round(ways.reduce((sum, way) => sum + way.km * way.people, 0)),
          longestKm: round(Math.max(...ways.map((way) => way.km))),
        };
      })
      .sort((a, b) => (fair ? a.longestKm - b.longestKm : a.totalKm - b.totalKm) || a.iata.localeCompare(b.iata))
      .slice(0, limit);
    const lines = places.map((p) => `${p.iata}  ${p.city}: ${p.totalKm} km in all, ${p.longestKm} km at most`);
    return { structured: { places }, text: lines.join('\n') };
  },
});

const batchDistancesTool = defineTool({
  name: 'batch_distances',
  title: 'Measure many distances',
  description: 'Measures the distances of up to 500 pairs of airports at once, in km and miles, with flight times.',
  annotations: reading,
  input: z.object({
    pairs: z
      .array(z.object({ from: iataSchema, to: iataSchema }))
      .min(1)
      .max(500),
  }),
  output: z.object({
    distances: z.array(
      z.object({ from: z.string(), to: z.string(), km: z.number(), miles: z.number(), flightMinutes: z.int() }),
    ),
  }),
  run({ pairs }) {
    const distances = pairs.map(({ from, to }) => {
      const km = distanceKm(requireAirport(from), requireAirport(to));
      return { from, to, km: round(km, 1), miles: round(kmToMiles(km), 1), flightMinutes: flightMinutes(km) };
    });
    const text = distances.map((d) => `${d.from} - ${d.to}: ${d.km} km, ${durationText(d.flightMinutes)}`).join('\n');
    return { structured: { distances }, text };
  },
});

const itineraryReportTool = ({ itineraries, clock }: TravelParts) =>
  defineTool({
    name: 'itinerary_report',
    title: 'Report on an itinerary',
    description: 'Writes a report on one of your itineraries, with distance, time and carbon of each leg.',
    annotations: reading,
    input: z.object({ id: z.string().max(64) }),
    output: z.object({ id: z.string(), legs: z.int(), km: z.number(), flightMinutes: z.int(), kgCo2: z.number() }),
    run({ id }, call) {
      const trip = itineraries.find(call.requireUser(), id);
      const legs = legsOf(trip.stops);
      const structured = {
        id,
        legs: legs.length,
        km: trip.distanceKm,
        flightMinutes: legs.reduce((sum, leg) => sum + flightMinutes(leg.km), 0),
        kgCo2: round(legs.reduce((sum, leg) => sum + carbonKg(leg.km, 'economy'), 0)),
      };
      const resource = {
        uri: `travel://itineraries/${id}/report`,
        mimeType: 'text/markdown',
        text: reportOf(trip, clock.now()),
      };
      return {
        structured,
        text: `${trip.name}: ${structured.legs} legs, ${structured.km} km, about ${structured.kgCo2} kg of CO2.`,
        extra: [{ type: 'resource', resource }],
      };
    },
  });

function reportOf(trip: Itinerary, nowMs: number): string {
  const rows = legsOf(trip.stops).map(
    ({ from, to, km }) =>
      `| ${from.iata} ${from.city} | ${to.iata} ${to.city} | ${round(km)} | ${durationText(flightMinutes(km))} | ` +
      `${zoneTime(to.timeZone, nowMs).localTime.slice(19)} | ${round(carbonKg(km, 'economy'))} |`,
  );
  return [
    `# ${trip.name}`,
    trip.departureDate === null ? '' : `Departure: ${trip.departureDate}`,
    trip.note,
    '| from | to | km | time | UTC offset there | kg CO2 |',
    '|---|---|---|---|---|---|',
    ...rows,
  ]
    .filter((line) => line !== '')
    .join('\n');
}
