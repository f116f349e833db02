export { cleanText } from './clean-text.ts';
export { catalogueContributor } from './account-contributor.ts';
export { createCatalogue, type Catalogue } from './create-catalogue.ts';
export type { DecidedBy } from './manifest-versions.ts';
export { mountBundledIcons } from './bundled-icons.ts';
export { createIcons, type Icons } from './create-icons.ts';
export type { InspectedOffer } from './inspect-offer.ts';
export type { Discovered } from './discovered.ts';
export { exposeUri, ownUri, toolPrefix } from './exposed-name.ts';
export { estimateTokens, estimateToolTokens } from './estimate-tokens.ts';
export { readDeployedPrograms, type DeployedProgram } from './deployed-programs.ts';
export { isForbiddenHere, loadBundledManifests, loadOwnManifests, readManifestFolder } from './load-manifests.ts';
export {
  personalEntry,
  reviewPersonalOffer,
  type OfferedItem,
  type PersonalChange,
  type PersonalOffer,
  isAddress,
  withoutAddresses,
} from './personal-offer.ts';
export type { OfferedList } from './approve-offer.ts';
export { requireShown, shownCode } from './shown-code.ts';
export { catalogueMigrations } from './migrations.ts';
export { createManifestRuns, type ManifestRuns } from './runs/create-manifest-runs.ts';
export { resultOf } from './runs/present-run.ts';
export { mountManifestRunRoutes } from './runs/run-routes.ts';
export { manageManifests } from './manage-manifests.ts';
export { differencesOf, readDifferences } from './manifests/differences/read-differences.ts';
export type { ManifestHead } from './manifests/manifest-heads.ts';
export type { ManifestSource } from './manifests/manifest-source.ts';
export { nextVersion } from './manifests/next-version.ts';
export { readManifest, type PeopleOfServers } from './manifests/read-manifest.ts';
export { readCatalogueNeeds } from './manifests/read-catalogue-needs.ts';
export { mountDifferenceRoutes } from './manifests/differences/routes.ts';
export { mountManifestRoutes } from './manifest-routes.ts';
export { checkAllowed, checkCurrency, checkManifest, parseManifest, type ManifestPolicy } from './parse-manifest.ts';
export { readPriceSteps } from './prices/read-price-steps.ts';
export { creditsAt, type PriceStep, type ToolPrice } from './prices/tool-price.ts';
export { presentBilling, presentServer, toolTitle } from './present.ts';
export { cutText as registryText } from './registry/present-published.ts';
export { createRegistryNames, type RegistryNames } from './registry/registry-names.ts';
export { mountRegistryRoutes } from './registry/routes.ts';
export type { UsedTogether } from './related-servers.ts';
export { mountCatalogueRoutes } from './routes.ts';
export { featuresOf, serverFeatures, type ServerFeature } from './server-features.ts';
export { createServerIndex, firstOnHome, type Popularity, type ServerIndex } from './server-index.ts';
export {
  hiddenTools,
  isDown,
  type CatalogueItem,
  type CatalogueServer,
  type CatalogueSnapshot,
  type ServerManifest,
} from './snapshot.ts';
export { needsTask, servedTools } from './served-tools.ts';
export { readJson } from './read-json.ts';
export { isolationOf, sharedFolderNotes } from './shared-folder.ts';
export { findFormerServer } from './former-server.ts';
export { tellFailure } from './tell-failure.ts';
