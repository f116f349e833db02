export { createCatalogue, type Catalogue } from './create-catalogue.ts';
export type { Discovered } from './discovered.ts';
export { exposeUri, ownUri } from './exposed-name.ts';
export { loadBundledManifests, readManifestFolder } from './load-manifests.ts';
export { catalogueMigrations } from './migrations.ts';
export { checkManifest, parseManifest, type ManifestPolicy } from './parse-manifest.ts';
export { presentServer } from './present.ts';
export { mountCatalogueRoutes } from './routes.ts';
export type { CatalogueItem, CatalogueServer, CatalogueSnapshot, Era } from './snapshot.ts';
