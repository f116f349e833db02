export { createConnections, type Connections } from './create-connections.ts';
export { mountConnectionRoutes } from './routes.ts';
export type { ServicePrograms } from './run-services.ts';
export { readStdioAllowlist, type StdioAllowlist } from './stdio-allowlist.ts';
