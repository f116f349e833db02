export { createIdentity, type Identity, type IdentityOptions } from './create-identity.ts';
export type { AccountContributor } from './account/account-contributors.ts';
export type { McpChallenge } from './access/authenticate-mcp.ts';
export { runDoctor, type Diagnosis } from './connection-log/doctor/run-doctor.ts';
export { identityMigrations } from './migrations.ts';
