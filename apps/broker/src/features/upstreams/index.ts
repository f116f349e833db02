export { upstreamContributor } from './account-contributor.ts';
export { mountConnectionTests } from './connection-test/routes.ts';
export { createUpstreams, type Upstreams } from './create-upstreams.ts';
export { upstreamMigrations } from './migrations.ts';
export { personalFilesContributor } from './processes/personal-files.ts';
export { mountServerLog } from './processes/log-routes.ts';
export { mountPreferenceRoutes } from './preferences/routes.ts';
export { mountUpstreamRoutes } from './routes.ts';
export type { ServicePrograms } from './processes/run-services.ts';
export {
  bundledPrograms,
  readStdioAllowlist,
  secretVariable,
  type StdioAllowlist,
} from './processes/stdio-allowlist.ts';
export { mountIssuerRoutes } from './sign-in/issuer-routes.ts';
export { mountClientDocument, mountUpstreamSignInRoutes } from './sign-in/routes.ts';
export { canAnswer } from './pool/question-kinds.ts';
export type { PersonOffers } from './offers/person-offers.ts';
export { headerVariable } from './sign-in/operator-secrets.ts';
export { needsOwnSecrets } from './sign-in/credentials.ts';
