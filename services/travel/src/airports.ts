import { ToolRefusal } from '@souk/service-kit/tools.ts';
import * as z from 'zod';
import { airportTable } from './airport-table.ts';

export const airportSchema = z.object({
  iata: z.string().describe('IATA code, three letters'),
  name: z.string(),
  city: z.string(),
  country: z.string(),
  latitude: z.number().describe('Degrees, north positive'),
  longitude: z.number().describe('Degrees, east positive'),
  timeZone: z.string().describe('IANA time zone, such as Europe/London'),
});
export type Airport = z.infer<typeof airportSchema>;

/** An airport in a tool's input. */
export const iataSchema = z
  .string()
  .trim()
  .toUpperCase()
  .regex(/^[A-Z]{3}$/, 'must be a three-letter IATA code')
  .describe('IATA airport code, such as LHR');

const airportsByCode: ReadonlyMap<string, Airport> = new Map(
  airportTable
    .trim()
    .split('\n')
    .map(parseRow)
    .map((airport) => [airport.iata, airport]),
);

export function allAirports(): readonly Airport[] {
  return [...airportsByCode.values()];
}

/** @throws ToolRefusal for an unknown airport */
export function requireAirport(iata: string): Airport {
  const airport = airportsByCode.get(iata.toUpperCase());
  if (!airport) throw new ToolRefusal(`No airport with the code ${iata} is in this table. Try find_airports.`);
  return airport;
}

/**
 * Finds airports that match every word of `query` in their code, name, city or country, ignoring accents and case.
 * An exact code comes first, then matches of the city, then the rest; alphabetical within each.
 */
export function findAirports(query: string, country: string | undefined, limit: number): Airport[] {
  const words = plain(query).split(/\s+/).filter(Boolean);
  const wantedCountry = country === undefined ? undefined : plain(country);
  return allAirports()
    .filter((airport) => wantedCountry === undefined || plain(airport.country) === wantedCountry)
    .filter((airport) => words.every((word) => searchText(airport).includes(word)))
    .map((airport) => ({ airport, rank: rankOf(airport, words) }))
    .sort((a, b) => a.rank - b.rank || a.airport.iata.localeCompare(b.airport.iata))
    .slice(0, limit)
    .map(({ airport }) => airport);
}

function rankOf(airport: Airport, words: readonly string[]): number {
  if (words.includes(airport.iata.toLowerCase())) return 0;
  return words.every((word) => plain(airport.city).includes(word)) ? 1 : 2;
}

function searchText(airport: Airport): string {
  return plain(`${airport.iata} ${airport.name} ${airport.city} ${airport.country}`);
}

function plain(text: string): string {
  return text.normalize('NFD').replaceAll(/\p{M}/gu, '').toLowerCase();
}

function parseRow(row: string): Airport {
  const [iata, name, city, country, latitude, longitude, timeZone] = row.split('|');
  return airportSchema.parse({
    iata,
    name,
    city,
    country,
    latitude: Number(latitude),
    longitude: Number(longitude),
    timeZone,
  });
}
