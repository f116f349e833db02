export { upstreamContributor } from './account-contributor.ts';
export { certificateThresholdsDays, readEndingCertificates } from './certificates/read-ending-certificates.ts';
export { mountConnectionTests } from './connection-test/routes.ts';
export { draftManifest } from './import/draft-manifest.ts';
export { programWarning } from './import/judge-import.ts';
export { createVersionFinder, withVersions } from './import/find-version.ts';
export { createIds } from './import/give-ids.ts';
export { readEntries } from './import/read-entries.ts';
export { maxImportBytes, UnreadableText } from './import/read-import-text.ts';
export type { ReadEntry } from './import/wanted.ts';
export { createImports, type Imports } from './import/create-imports.ts';
export { mountImportRoutes } from './import/routes.ts';
export { createUpstreams, type Upstreams } from './create-upstreams.ts';
export { upstreamMigrations } from './migrations.ts';
export { personalFilesContributor } from './processes/person-files.ts';
export { memoryGroupsProblem } from './processes/limits/memory-groups.ts';
export { mountPersonFiles, mountServerLog } from './processes/routes.ts';
export { mountPreferenceRoutes } from './preferences/routes.ts';
export { mountUpstreamRoutes } from './routes.ts';
export type { ServicePrograms } from './processes/run-services.ts';
export {
  bundledPrograms,
  keepsFiles,
  notAllowedText,
  readStdioAllowlist,
  secretVariable,
  type StdioAllowlist,
} from './processes/stdio-allowlist.ts';
export { expandCommand } from './processes/expand-command.ts';
export { mountIssuerRoutes } from './sign-in/issuers/issuer-routes.ts';
export { readSignInsToConfirm } from './sign-in/issuers/read-sign-ins-to-confirm.ts';
export { dropRegistrations } from './sign-in/client/registrations.ts';
export { mountClientDocument, mountUpstreamSignInRoutes } from './sign-in/routes.ts';
export { createAllowances, type Allowances } from './allowances/create-allowances.ts';
export { listAllowances } from './allowances/administer-allowances.ts';
export { mountAllowances } from './allowances/routes.ts';
export { administerSecrets, type SecretAdministration } from './secrets/administer-secrets.ts';
export { programPlaceOf } from './secrets/secret-place.ts';
export { readEnteredNames } from './secrets/secret-rows.ts';
export { createEnvironmentPlaces } from './secrets/environment-places.ts';
export { createServerSecrets } from './secrets/server-secrets.ts';
export { needsOf } from './processes/stdio-programs.ts';
export { mountServerSecrets } from './secrets/routes.ts';
export { canAnswer } from './pool/question-kinds.ts';
export type { ToolsOfUser } from './personal-tools/tools-of-user.ts';
export { needsOwnSecrets } from './sign-in/credentials.ts';
export type { TurnLimits } from './watch/ask-turns.ts';
