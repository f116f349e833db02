import { createRootRoute, createRoute, createRouter, Outlet } from '@tanstack/react-router';

const root = createRootRoute({ component: Outlet });

const home = createRoute({ getParentRoute: () => root, path: '/', component: () => <h1>Souk</h1> });

/** Every screen of the product. */
export const router = createRouter({ routeTree: root.addChildren([home]), defaultPreload: 'intent' });

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
