/**
 * Estimates CO2 for one passenger, fuel only. Aircraft fly further than the great circle: ICAO's carbon calculator allows 50,
 * 100 or 125 km. Then about 15 kg for take-off and climb and 85 g per kilometer in economy; larger seats count by floor space.
 */
export const cabins = ['economy', 'premium', 'business', 'first'] as const;
export type Cabin = (typeof cabins)[number];

const seatsWorth: Readonly<Record<Cabin, number>> = { economy: 1, premium: 1.5, business: 2.9, first: 4 };
const takeOffKg = 15;
const kgPerKm = 0.085;

export function carbonKg(km: number, cabin: Cabin): number {
  return km === 0 ? 0 : (takeOffKg + flownKm(km) * kgPerKm) * seatsWorth[cabin];
}

/** Adds ICAO's allowance for detours to the great circle. */
export function flownKm(km: number): number {
  if (km < 550) return km + 50;
  return km + (km <= 5_500 ? 100 : 125);
}
