import type { Manifest } from '@souk/contract/manifest/manifest.ts';

/**
 * What alone gets a secret that is entered for a server: the whole address of its manifest, and not its origin alone, since
 * hosts that serve many customers tell them apart by the path; or the program that it starts.
 * @param programPlace of a program, by its alias
 */
export function secretPlace(
  { manifest: { connection } }: { manifest: Pick<Manifest, 'connection'> },
  programPlace: (alias: string) => string,
): string {
  return connection.type === 'stdio' ? programPlace(connection.command) : connection.url;
}

/** The place in an administrator's words. */
export function placeText(place: string): string {
  return place.startsWith(ofProgram) ? `the program ${place.slice(ofProgram.length)}` : place;
}

const ofProgram = 'program:';

/** A program of the operator's allow-list: what the alias starts is the operator's decision. */
export const programPlaceOf = (alias: string): string => `${ofProgram}${alias}`;
