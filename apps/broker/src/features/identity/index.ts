export { createIdentity, type Identity } from './create-identity.ts';
export type { AccountContributor } from './account/account-contributors.ts';
export type { McpChallenge } from './authentication/authenticate-mcp.ts';
export type { FindTokenOwner, TokenOwner } from './authentication/find-token-owner.ts';
export type { AuthorizationRefusal, IdentityEvents, RefusedGrant, TokenRequestRefusal } from './identity-events.ts';
export type { IdentityOptions } from './identity-options.ts';
export { identityMigrations } from './migrations.ts';
export type { ThrowAwayAccess } from './tokens/throw-away-access.ts';
export { providerIds } from './users/user-provider.ts';
