import type { Manifest } from '@souk/contract/manifest/manifest.ts';

/**
 * Returns the only place that gets a secret of a server: the whole address of its manifest, because shared hosts
 * distinguish customers by the path, or the program that it starts.
 * @param programPlace returns the place of a program by its alias; by default the alias itself
 */
export function secretPlace(
  { manifest: { connection } }: { manifest: Pick<Manifest, 'connection'> },
  programPlace = (alias: string) => alias,
): string {
  return connection.type === 'stdio' ? programPlace(connection.command) : connection.url;
}

export function placeText(place: string): string {
  return place.startsWith(ofProgram) ? `the program ${place.slice(ofProgram.length)}` : place;
}

const ofProgram = 'program:';

/** Returns the place of a program on the operator's allow-list: the operator decides what the alias starts. */
export const programPlaceOf = (alias: string): string => `${ofProgram}${alias}`;
