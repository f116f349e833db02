export { connectionContributor } from './account-contributor.ts';
export { createConnections, type Connections } from './create-connections.ts';
export { connectionMigrations } from './migrations.ts';
export { personalFilesContributor } from './personal-files.ts';
export { mountPreferenceRoutes } from './preferences/routes.ts';
export { mountConnectionRoutes } from './routes.ts';
export type { ServicePrograms } from './run-services.ts';
export { readStdioAllowlist, type StdioAllowlist } from './stdio-allowlist.ts';
export { mountClientDocument, mountUpstreamSignInRoutes } from './upstream-sign-in/routes.ts';
