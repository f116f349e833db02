export { createGateway, type Gateway } from './create-gateway.ts';
export { freeForAll, type AccessPolicy } from './person.ts';
