import type { DatabaseSync } from 'node:sqlite';
import { ToolRefusal } from '@souk/service-kit/tools.ts';
import * as z from 'zod';
import { requireAirport } from './airports.ts';
import { distanceKm, round } from './great-circle.ts';

export const itinerarySchema = z.object({
  id: z.string(),
  name: z.string(),
  stops: z.array(z.string()).describe('IATA codes in the order of travel'),
  departureDate: z.string().nullable().describe('YYYY-MM-DD, or null'),
  note: z.string(),
  distanceKm: z.number(),
  createdAt: z.string().describe('ISO 8601, UTC'),
});
export type Itinerary = z.infer<typeof itinerarySchema>;
type NewItinerary = Pick<Itinerary, 'name' | 'stops' | 'departureDate' | 'note'>;

export const itineraryMigrations = [
  `CREATE TABLE itinerary (
     id TEXT PRIMARY KEY,
     subject TEXT NOT NULL,
     name TEXT NOT NULL,
     stops TEXT NOT NULL,
     departure_date TEXT,
     note TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX itinerary_of_subject ON itinerary (subject, created_at_ms)`,
];

/** Limit per user, which protects the disk. */
const maxPerUser = 500;

const rowSchema = z.object({
  id: z.string(),
  name: z.string(),
  stops: z.string(),
  departure_date: z.string().nullable(),
  note: z.string(),
  created_at_ms: z.number(),
});

/** The itineraries of all users; `subject` is the user in each call. */
export type Itineraries = {
  /** @throws ToolRefusal for an unknown airport, or above 500 itineraries */
  save(subject: string, itinerary: NewItinerary, id: string, nowMs: number): Itinerary;
  /** Lists itineraries, oldest first. */
  list(subject: string): Itinerary[];
  /** @throws ToolRefusal if the user has no itinerary with that id */
  find(subject: string, id: string): Itinerary;
  /** @returns whether the itinerary existed */
  remove(subject: string, id: string): boolean;
};

export function createItineraries(database: DatabaseSync): Itineraries {
  const insert = database.prepare('INSERT INTO itinerary VALUES (?, ?, ?, ?, ?, ?, ?)');
  const select = database.prepare('SELECT * FROM itinerary WHERE subject = ? ORDER BY created_at_ms, id');
  const selectOne = database.prepare('SELECT * FROM itinerary WHERE subject = ? AND id = ?');
  const remove = database.prepare('DELETE FROM itinerary WHERE subject = ? AND id = ?');
  const list = (subject: string) => select.all(subject).map(present);
  const find = (subject: string, id: string) => {
    const row = selectOne.get(subject, id);
    if (!row) throw new ToolRefusal(`You have no itinerary ${id}. Try list_itineraries.`);
    return present(row);
  };

  return {
    list,
    find,
    save(subject, { name, stops, departureDate, note }, id, nowMs) {
      const codes = stops.map((stop) => requireAirport(stop).iata);
      if (list(subject).length >= maxPerUser) {
        throw new ToolRefusal(`You have ${maxPerUser} itineraries, the maximum of this service. Delete one first.`);
      }
      insert.run(id, subject, name, codes.join(' '), departureDate, note, nowMs);
      return find(subject, id);
    },
    remove: (subject, id) => remove.run(subject, id).changes > 0,
  };
}

function present(row: unknown): Itinerary {
  const { id, name, stops, departure_date: departureDate, note, created_at_ms: createdAtMs } = rowSchema.parse(row);
  const codes = stops.split(' ');
  return {
    id,
    name,
    stops: codes,
    departureDate,
    note,
    distanceKm: round(routeKm(codes)),
    createdAt: new Date(createdAtMs).toISOString(),
  };
}

function routeKm(codes: readonly string[]): number {
  const airports = codes.map(requireAirport);
  return airports.reduce((sum, airport, index) => {
    const previous = airports[index - 1];
    return previous ? sum + distanceKm(previous, airport) : sum;
  }, 0);
}
