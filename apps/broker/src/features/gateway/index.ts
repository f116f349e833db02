export { createGateway, type Gateway } from './create-gateway.ts';
export { freeForAll, onlyEnabled, type AccessPolicy } from './person.ts';
