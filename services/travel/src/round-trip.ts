import type { ToolCall } from '@souk/service-kit/tools.ts';
import type { Airport } from './airports.ts';
import { distanceKm } from './great-circle.ts';

const rounds = 12;
/** Time slice between yields to other calls, the clock and the signal. */
const sliceMs = 20;

export type RoundTrip = { order: Airport[]; km: number; firstKm: number; triedRoutes: number };

/**
 * Searches a short round trip through all `airports`, starting and ending at the first: nearest neighbor, then 2-opt
 * from shuffled starts for `durationMs`, reporting after each of 12 rounds. The best route found is rarely more than
 * a few percent longer than the shortest; up to nine airports it is nearly always the shortest itself.
 * Rejects with an AbortError when the call is cancelled.
 */
export async function planRoundTrip(
  airports: readonly Airport[],
  durationMs: number,
  call: ToolCall,
): Promise<RoundTrip> {
  const km = distanceTable(airports);
  const random = seededRandom(airports.map((airport) => airport.iata).join());
  let best = nearestNeighbor(km);
  const firstKm = routeKm(best, km);
  let triedRoutes = 0;
  await call.report(0, rounds, `${Math.round(firstKm)} km by always flying to the nearest airport left`);

  for (let round = 1; round <= rounds; round += 1) {
    const sliceEnd = performance.now() + sliceMs;
    while (performance.now() < sliceEnd) {
      const candidate = improve(triedRoutes === 0 ? best : shuffled(best, random), km);
      triedRoutes += 1;
      if (routeKm(candidate, km) < routeKm(best, km)) best = candidate;
    }
    await call.pause(durationMs / rounds);
    await call.report(round, rounds, `${Math.round(routeKm(best, km))} km after ${triedRoutes} routes`);
  }
  return {
    order: best.flatMap((stop) => airports[stop] ?? []),
    km: routeKm(best, km),
    firstKm,
    triedRoutes,
  };
}

type Distances = (from: number, to: number) => number;

function distanceTable(airports: readonly Airport[]): Distances & { size: number } {
  const size = airports.length;
  const table = new Float64Array(size * size);
  for (const [i, a] of airports.entries())
    for (const [j, b] of airports.entries()) table[i * size + j] = distanceKm(a, b);
  return Object.assign((from: number, to: number) => table[from * size + to] ?? 0, { size });
}

/** Returns the length of the closed route. */
function routeKm(route: readonly number[], km: Distances): number {
  return route.reduce((sum, stop, index) => sum + km(stop, route[(index + 1) % route.length] ?? 0), 0);
}

function nearestNeighbor(km: Distances & { size: number }): number[] {
  const route = [0];
  const left = new Set(Array.from({ length: km.size - 1 }, (_, index) => index + 1));
  for (let at = 0; left.size > 0;) {
    const next = [...left].reduce((best, stop) => (km(at, stop) < km(at, best) ? stop : best));
    route.push(next);
    left.delete(next);
    at = next;
  }
  return route;
}

/** Improves a route by 2-opt: reverses segments as long as that shortens it. The first stop stays first. */
function improve(start: readonly number[], km: Distances): number[] {
  const route = [...start];
  const at = (index: number) => route[index % route.length] ?? 0;
  for (let improved = true; improved;) {
    improved = false;
    for (let i = 0; i < route.length - 1; i += 1) {
      for (let j = i + 2; j < route.length; j += 1) {
        const gain = km(at(i), at(i + 1)) + km(at(j), at(j + 1)) - km(at(i), at(j)) - km(at(i + 1), at(j + 1));
        if (gain <= 1e-9) continue;
        route.splice(i + 1, j - i, ...route.slice(i + 1, j + 1).toReversed());
        improved = true;
      }
    }
  }
  return route;
}

/** Shuffles all stops except the first (Fisher-Yates). */
function shuffled(route: readonly number[], random: () => number): number[] {
  const [first = 0, ...rest] = route;
  for (let index = rest.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [rest[index], rest[other]] = [rest[other] ?? 0, rest[index] ?? 0];
  }
  return [first, ...rest];
}

/** Creates a small linear congruential generator, so that the same airports are always searched in the same order. */
function seededRandom(seed: string): () => number {
  let state = [...seed].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7);
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
