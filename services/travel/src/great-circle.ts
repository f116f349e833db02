export type Position = { latitude: number; longitude: number };

/** IUGG mean radius R1. Flattening of the earth makes a sphere inaccurate by up to 0.5 %. */
const earthRadiusKm = 6_371.0088;
const kmPerMile = 1.609344;
/** Cruising speed of a jet, and the time for taxi, climb and approach: rules of thumb, accurate to about 10 %. */
const cruiseKmPerHour = 860;
const overheadMinutes = 30;

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;

/** Returns the great-circle distance in kilometers (haversine formula). */
export function distanceKm(a: Position, b: Position): number {
  const latitudes = Math.sin(radians(b.latitude - a.latitude) / 2) ** 2;
  const longitudes = Math.sin(radians(b.longitude - a.longitude) / 2) ** 2;
  const haversine = latitudes + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * longitudes;
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** Returns the direction of departure in degrees clockwise from north, 0 to 360. */
export function initialBearing(a: Position, b: Position): number {
  const east = Math.sin(radians(b.longitude - a.longitude)) * Math.cos(radians(b.latitude));
  const north =
    Math.cos(radians(a.latitude)) * Math.sin(radians(b.latitude)) -
    Math.sin(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.cos(radians(b.longitude - a.longitude));
  return (degrees(Math.atan2(east, north)) + 360) % 360;
}

export function kmToMiles(km: number): number {
  return km / kmPerMile;
}

/** Estimates the gate-to-gate minutes of a direct jet flight without wind. */
export function flightMinutes(km: number): number {
  return km === 0 ? 0 : Math.round(overheadMinutes + (km / cruiseKmPerHour) * 60);
}

export function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}

/** Formats 415 as "6 h 55 min". */
export function durationText(minutes: number): string {
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
