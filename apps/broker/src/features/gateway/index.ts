export { gatewayContributor } from './account-contributor.ts';
export { createGateway, type Gateway } from './create-gateway.ts';
export { gatewayMigrations } from './migrations.ts';
export { freeForAll, type AccessPolicy } from './person.ts';
