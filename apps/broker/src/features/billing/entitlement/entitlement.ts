import type { CatalogueServer } from '#features/catalogue/index.ts';

/**
 * Decides which servers a user may use. Reads the user's data once, then decides for each server. Returns no promise if there
 * is nothing to read.
 */
export type EntitlementPolicy = (userId: string) => IsEntitled | Promise<IsEntitled>;
export type IsEntitled = (server: CatalogueServer) => boolean;
