import { defineTool, reading, type ServiceTool } from '@souk/service-kit/tools.ts';
import { offsetMinutes, zoneTime } from '@souk/service-kit/zone-time.ts';
import * as z from 'zod';
import { iataSchema, requireAirport, type Airport } from './airports.ts';
import { instantSchema } from './basic-tools.ts';
import { cabins, carbonKg, flownKm } from './carbon.ts';
import type { TravelParts } from './parts.ts';
import { distanceKm, durationText, flightMinutes, round } from './great-circle.ts';
import { planJetLag } from './jet-lag.ts';
import { sunDay } from './sun.ts';

const routeSchema = z.array(iataSchema).min(2).max(12).describe('IATA codes in the order of travel');

export function legsOf(codes: readonly string[]): { from: Airport; to: Airport; km: number }[] {
  const stops = codes.map(requireAirport);
  return stops.slice(1).flatMap((to, index) => {
    const from = stops[index];
    return from ? [{ from, to, km: distanceKm(from, to) }] : [];
  });
}

/** Tools that travel-pro adds, for decisions. */
export function proTools(parts: TravelParts): ServiceTool[] {
  return [compareRoutesTool, jetLagPlanTool(parts), carbonEstimateTool, daylightTool(parts)];
}

const compareRoutesTool = defineTool({
  name: 'compare_routes',
  title: 'Compare routes',
  description: 'Compares up to six routes by distance, flying time and detour from the direct route.',
  annotations: reading,
  input: z.object({ routes: z.array(routeSchema).min(2).max(6) }),
  output: z.object({
    routes: z.array(
      z.object({ stops: z.array(z.string()), km: z.number(), flightMinutes: z.int(), detourPercent: z.number() }),
    ),
    shortest: z.int().describe('Index of the shortest route'),
  }),
  run({ routes }) {
    const compared = routes.map((stops) => {
      const legs = legsOf(stops);
      const km = legs.reduce((sum, leg) => sum + leg.km, 0);
      const direct = distanceKm(requireAirport(stops[0] ?? ''), requireAirport(stops.at(-1) ?? ''));
      return {
        stops,
        km: round(km),
        flightMinutes: legs.reduce((sum, leg) => sum + flightMinutes(leg.km), 0),
        detourPercent: direct === 0 ? 0 : round((km / direct - 1) * 100, 1),
      };
    });
    const shortest = compared.reduce((best, route, index) => (route.km < (compared[best]?.km ?? 0) ? index : best), 0);
    const lines = compared.map(
      (r) =>
        `${r.stops.join(' - ')}: ${r.km} km, ${durationText(r.flightMinutes)} in the air, ${r.detourPercent} % detour`,
    );
    return { structured: { routes: compared, shortest }, text: lines.join('\n') };
  },
});

const jetLagPlanTool = ({ clock }: TravelParts) =>
  defineTool({
    name: 'jet_lag_plan',
    title: 'Plan against jet lag',
    description:
      'Suggests a bedtime and the right light for each day after arrival, until your body clock has adjusted.',
    annotations: reading,
    input: z.object({ from: iataSchema, to: iataSchema, arrival: instantSchema.optional() }),
    output: z.object({
      shiftHours: z.number().describe('Hours that the body clock must shift; positive is earlier'),
      advice: z.string(),
      days: z.array(z.object({ day: z.int(), bedtime: z.string(), seekLight: z.string() })),
    }),
    run({ from, to, arrival }) {
      const atMs = arrival === undefined ? clock.now() : Date.parse(arrival);
      const offset = (iata: string) => offsetMinutes(requireAirport(iata).timeZone, atMs);
      const { shiftMinutes, advice, days } = planJetLag(offset(to) - offset(from));
      const lines = days.map((d) => `Day ${d.day}: bed at ${d.bedtime}, light ${d.seekLight}`);
      return { structured: { shiftHours: shiftMinutes / 60, advice, days }, text: [advice, ...lines].join('\n') };
    },
  });

const carbonEstimateTool = defineTool({
  name: 'carbon_estimate',
  title: 'Estimate carbon dioxide',
  description: 'Estimates the carbon dioxide (CO2) of a route for one passenger by cabin; counts fuel only.',
  annotations: reading,
  input: z.object({ route: routeSchema, cabin: z.enum(cabins).default('economy') }),
  output: z.object({
    kgCo2: z.number(),
    legs: z.array(z.object({ from: z.string(), to: z.string(), flownKm: z.number(), kgCo2: z.number() })),
  }),
  run({ route, cabin }) {
    const legs = legsOf(route).map(({ from, to, km }) => ({
      from: from.iata,
      to: to.iata,
      flownKm: round(flownKm(km)),
      kgCo2: round(carbonKg(km, cabin)),
    }));
    const kgCo2 = legs.reduce((sum, leg) => sum + leg.kgCo2, 0);
    return { structured: { kgCo2, legs }, text: `${route.join(' - ')}, ${cabin}: about ${kgCo2} kg of CO2.` };
  },
});

const daylightTool = ({ clock }: TravelParts) =>
  defineTool({
    name: 'daylight',
    title: 'Daylight at an airport',
    description: 'Tells sunrise, sunset and the length of the day at an airport, today or on another date.',
    annotations: reading,
    input: z.object({ airport: iataSchema, date: z.iso.date().optional().describe('YYYY-MM-DD, local') }),
    output: z.object({
      date: z.string(),
      kind: z.enum(['ordinary', 'polar day', 'polar night']),
      sunrise: z.string().nullable().describe('Local time with offset'),
      sunset: z.string().nullable(),
      daylightMinutes: z.int(),
    }),
    run({ airport, date }) {
      const place = requireAirport(airport);
      const day = date ?? zoneTime(place.timeZone, clock.now()).localTime.slice(0, 10);
      const sun = sunDay(day, place);
      const local = (instantMs: number) => zoneTime(place.timeZone, instantMs).localTime;
      const sunrise = sun.kind === 'ordinary' ? local(sun.sunriseMs) : null;
      const sunset = sun.kind === 'ordinary' ? local(sun.sunsetMs) : null;
      const { kind, daylightMinutes } = sun;
      const text = sunrise === null ? kind : `sunrise ${sunrise}, sunset ${sunset}`;
      return {
        structured: { date: day, kind, sunrise, sunset, daylightMinutes },
        text: `${place.iata}, ${day}: ${text}; ${durationText(daylightMinutes)} of daylight.`,
      };
    },
  });
