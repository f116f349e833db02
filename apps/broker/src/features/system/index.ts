export { createSystem, type SystemView } from './create-system.ts';
export { mountSystemRoutes } from './routes.ts';
