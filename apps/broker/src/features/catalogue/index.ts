export { cleanText } from './review/clean-text.ts';
export { catalogueContributor } from './account-contributor.ts';
export { createCatalogue, type Catalogue } from './create-catalogue.ts';
export type { ManifestActor } from './manifests/manifest-versions.ts';
export { mountBundledIcons } from './icons/bundled-icons.ts';
export { createIcons } from './icons/create-icons.ts';
export type { InspectedLists } from './review/inspect-lists.ts';
export type { Discovered } from './discovery/discovered.ts';
export { exposeUri, ownUri, toolPrefix } from './snapshot/exposed-name.ts';
export { estimateTokens, estimateToolTokens } from './snapshot/estimate-tokens.ts';
export { readDeployedPrograms, type DeployedProgram } from './manifests/deployed-programs.ts';
export {
  isForbiddenHere,
  loadBundledManifests,
  loadOwnManifests,
  readManifestFolder,
} from './manifests/load-manifests.ts';
export {
  personalEntry,
  reviewPersonalList,
  type PersonalItem,
  type PersonalChange,
  type PersonalList,
  isAddress,
  withPrefixedAddresses,
} from './discovery/personal-list.ts';
export type { ListToApprove } from './review/approve-list.ts';
export { requireShown, shownCode } from './review/shown-code.ts';
export { catalogueMigrations } from './migrations.ts';
export { createManifestRuns, type ManifestRuns } from './runs/create-manifest-runs.ts';
export { resultOf } from './runs/present-run.ts';
export { mountManifestRunRoutes } from './runs/run-routes.ts';
export { manageManifests } from './manifests/manage-manifests.ts';
export { differencesOf, readDifferences } from './manifests/differences/read-differences.ts';
export type { ManifestHead } from './manifests/manifest-heads.ts';
export type { ManifestSource } from './manifests/manifest-source.ts';
export { nextVersion } from './manifests/next-version.ts';
export { readManifest, type PeopleOfServers } from './manifests/read-manifest.ts';
export { readCatalogueNeeds } from './manifests/read-catalogue-needs.ts';
export { mountDifferenceRoutes } from './manifests/differences/routes.ts';
export { mountManifestRoutes } from './manifests/manifest-routes.ts';
export {
  checkAllowed,
  checkCurrency,
  checkManifest,
  parseManifest,
  type ManifestPolicy,
} from './manifests/parse-manifest.ts';
export { readPriceSteps } from './prices/read-price-steps.ts';
export { creditsAt, type PriceStep, type ToolPrice } from './prices/tool-price.ts';
export { presentBilling, presentServer, toolTitle } from './present.ts';
export { cutText as registryText } from './registry/present-published.ts';
export { createRegistryNames, type RegistryNames } from './registry/registry-names.ts';
export { mountRegistryRoutes } from './registry/routes.ts';
export type { UsedTogether } from './search/related-servers.ts';
export { mountCatalogueRoutes } from './routes.ts';
export { featuresOf, serverFeatures, type ServerFeature } from './snapshot/server-features.ts';
export { createServerIndex, firstOnHome, type Popularity, type ServerIndex } from './search/server-index.ts';
export {
  hiddenTools,
  isDown,
  type CatalogueItem,
  type CatalogueServer,
  type CatalogueSnapshot,
  type ServerManifest,
} from './snapshot/snapshot.ts';
export { needsTask, servedTools } from './snapshot/served-tools.ts';
export { readJson } from './manifests/read-json.ts';
export { isolationOf, sharedFolderNotes } from './manifests/shared-folder.ts';
export { findFormerServer } from './manifests/former-server.ts';
export { presentFailure } from './health/present-failure.ts';
