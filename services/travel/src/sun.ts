import type { Position } from './great-circle.ts';

/** Altitude of the sun's center at sunrise and sunset: refraction and half the disc (NOAA). */
const horizonDegrees = -0.833;
const dayMs = 86_400_000;
const unixEpochJulianDay = 2_440_587.5;
const j2000 = 2_451_545;

export type SunDay =
  | { kind: 'ordinary'; sunriseMs: number; sunsetMs: number; daylightMinutes: number }
  | { kind: 'polar day' | 'polar night'; daylightMinutes: number };

const sin = (degrees: number) => Math.sin((degrees * Math.PI) / 180);
const cos = (degrees: number) => Math.cos((degrees * Math.PI) / 180);

/**
 * Calculates sunrise and sunset of the calendar day `date` (YYYY-MM-DD) by the sunrise equation, accurate to about two
 * minutes outside the polar circles. The instants belong to the solar day around local noon.
 */
export function sunDay(date: string, { latitude, longitude }: Position): SunDay {
  const noonUtcMs = Date.parse(`${date}T12:00:00Z`);
  const meanSolarNoon = noonUtcMs / dayMs + unixEpochJulianDay - j2000 - longitude / 360;
  const anomaly = (357.5291 + 0.98560028 * meanSolarNoon) % 360;
  const center = 1.9148 * sin(anomaly) + 0.02 * sin(2 * anomaly) + 0.0003 * sin(3 * anomaly);
  const eclipticLongitude = (anomaly + center + 180 + 102.9372) % 360;
  const transit = meanSolarNoon + 0.0053 * sin(anomaly) - 0.0069 * sin(2 * eclipticLongitude);
  const sinDeclination = sin(eclipticLongitude) * sin(23.4397);
  const cosHourAngle =
    (sin(horizonDegrees) - sin(latitude) * sinDeclination) / (cos(latitude) * Math.sqrt(1 - sinDeclination ** 2));

  if (cosHourAngle <= -1) return { kind: 'polar day', daylightMinutes: 1_440 };
  if (cosHourAngle >= 1) return { kind: 'polar night', daylightMinutes: 0 };
  const halfDayMs = (Math.acos(cosHourAngle) / (2 * Math.PI)) * dayMs;
  const transitMs = (transit + j2000 - unixEpochJulianDay) * dayMs;
  return {
    kind: 'ordinary',
    sunriseMs: transitMs - halfDayMs,
    sunsetMs: transitMs + halfDayMs,
    daylightMinutes: Math.round((2 * halfDayMs) / 60_000),
  };
}
