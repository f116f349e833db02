export const cabins = ['economy', 'premium', 'business', 'first'] as const;
export type Cabin = (typeof cabins)[number];

/** Floor space of a seat, in economy seats. */
const seatFactor: Readonly<Record<Cabin, number>> = { economy: 1, premium: 1.5, business: 2.9, first: 4 };
const takeOffKg = 15;
const kgPerKm = 0.085;

/**
 * Estimates the CO2 of fuel for one passenger: about 15 kg for take-off and climb, and 85 g per kilometer in economy. Larger seats
 * count by their floor space.
 */
export function carbonKg(km: number, cabin: Cabin): number {
  return km === 0 ? 0 : (takeOffKg + flownKm(km) * kgPerKm) * seatFactor[cabin];
}

/** Adds the detour that ICAO's carbon calculator assumes to the great circle: 50, 100 or 125 km. */
export function flownKm(km: number): number {
  if (km < 550) return km + 50;
  return km + (km <= 5_500 ? 100 : 125);
}
