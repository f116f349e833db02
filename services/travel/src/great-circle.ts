export type Position = { latitude: number; longitude: number };

/** IUGG mean radius R1. The earth's flattening makes a sphere wrong by up to 0.5 %. */
const earthRadiusKm = 6_371.0088;
const kmPerMile = 1.609344;
/** A jet's cruising speed, and what taxi, climb and approach add to it: a rule of thumb, right to about 10 %. */
const cruiseKmPerHour = 860;
const overheadMinutes = 30;

const radians = (degrees: number) => (degrees * Math.PI) / 180;
const degrees = (angle: number) => (angle * 180) / Math.PI;

/** Great-circle distance in kilometres, by the haversine formula. */
export function distanceKm(a: Position, b: Position): number {
  const latitudes = Math.sin(radians(b.latitude - a.latitude) / 2) ** 2;
  const longitudes = Math.sin(radians(b.longitude - a.longitude) / 2) ** 2;
  const haversine = latitudes + Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * longitudes;
  return 2 * earthRadiusKm * Math.asin(Math.min(1, Math.sqrt(haversine)));
}

/** Direction of departure, degrees clockwise from north, 0 to 360. */
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

/** Gate-to-gate minutes of a direct jet flight, an estimate without wind. */
export function flightMinutes(km: number): number {
  return km === 0 ? 0 : Math.round(overheadMinutes + (km / cruiseKmPerHour) * 60);
}

export function round(value: number, digits = 0): number {
  return Number(value.toFixed(digits));
}

/** 415 -> "6 h 55 min". */
export function durationText(minutes: number): string {
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}
