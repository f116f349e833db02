import { scanJson } from '../json/scan-json.ts';

/** More than we ever need. Deeper JSON is refused before any code walks it recursively. */
export const maxJsonDepth = 64;

export function isTooDeep(json: string, limit: number = maxJsonDepth): boolean {
  return scanJson(json, limit).isTooDeep;
}
