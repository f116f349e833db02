import type { CatalogueServer } from '#features/catalogue/index.ts';

/**
 * Decides which servers a user may use. Reads the user's data once, then answers for each server. Returns no promise if
 * there is nothing to read.
 */
export type EntitlementPolicy = (userId: string) => IsEntitled | Promise<IsEntitled>;
export type IsEntitled = (server: CatalogueServer) => boolean;

/** Every signed-in user may use all T0 servers, and no others: plans and rentals are not sold yet. A manifest without a billing block is T0. */
export const freeForAll: EntitlementPolicy = () => isFree;
const isFree: IsEntitled = (server) => (server.manifest.billing?.tier ?? 'T0') === 'T0';
