export { createIdentity, type Identity, type IdentityOptions } from './create-identity.ts';
export type { McpAuthentication, McpChallenge } from './access/authenticate-mcp.ts';
export { identityMigrations } from './migrations.ts';
export type { Revoked, RevokedListener } from './revocations.ts';
