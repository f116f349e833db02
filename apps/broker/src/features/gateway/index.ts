export { gatewayContributor } from './account-contributor.ts';
export { createGateway, type Gateway } from './create-gateway.ts';
export type { GatewayEvents, McpRequest, RefusedRequest } from './gateway-events.ts';
export { gatewayMigrations } from './migrations.ts';
export type { FormerServerOf } from './gateway-parts.ts';
export { isModernVersion } from './protocol/modern-revision.ts';
