import type { CapabilityAnswer, ServerAnswer } from '@souk/contract/catalogue.ts';
import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  Outlet,
  RouterProvider,
} from '@tanstack/react-router';
import { createElement, type ComponentType, type ReactNode } from 'react';
import { renderToString } from 'react-dom/server';
import { vi } from 'vitest';

/** The pages' configuration and typed client read the address of the page when they are loaded: they are given one. */
export async function loadScreens() {
  vi.stubGlobal('window', { location: { origin: 'https://souk.example' } });
  vi.stubGlobal('document', { querySelector: () => ({ getAttribute: () => '{"payments":"sandbox"}' }) });
  const [home, footer, marketplace, service, queries, capabilities] = await Promise.all([
    import('../home-screen.tsx'),
    import('../footer.tsx'),
    import('../marketplace-screen.tsx'),
    import('../service-screen.tsx'),
    import('../queries.ts'),
    import('../../../capabilities-query.ts'),
  ]);
  vi.unstubAllGlobals();
  return { ...home, ...footer, ...marketplace, ...service, ...queries, ...capabilities };
}
export type Screens = Awaited<ReturnType<typeof loadScreens>>;

export type Catalogue = { servers: ServerAnswer[]; capabilities: CapabilityAnswer[] };

/** One screen as HTML, with the catalogue loaded, loading (undefined) or failed (an error). */
export async function renderScreen<Props extends object>(
  screens: Screens,
  screen: ComponentType<Props>,
  props: Props,
  catalogue?: Catalogue | Error,
): Promise<string> {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, retryOnMount: false } } });
  const { queryKey } = screens.capabilitiesQuery;
  if (catalogue instanceof Error) {
    await queries.prefetchQuery({ queryKey, queryFn: () => Promise.reject(catalogue) });
  } else if (catalogue) {
    const lastUpdate = '2026-11-21T03:00:00.000Z';
    queries.setQueryData(queryKey, { ...catalogue, lastUpdate });
    queries.setQueryData(screens.healthQuery.queryKey, healthOf(catalogue));
  }
  const root = createRootRoute({ component: Outlet });
  const routes = ['/', '/marketplace', '/service/$serviceId'].map((path) =>
    createRoute({ getParentRoute: () => root, path, component: () => createElement(screen, props) }),
  );
  const router = createRouter({
    routeTree: root.addChildren(routes),
    history: createMemoryHistory({ initialEntries: ['/'] }),
  });
  await router.load();
  // this router has the product's routes but is not the one that the types know
  const page = createElement(RouterProvider as ComponentType<{ router: unknown }>, { router });
  return renderToString(createElement(QueryClientProvider, { client: queries }, page as ReactNode));
}

function healthOf({ servers, capabilities }: Catalogue) {
  return {
    status: 'healthy' as const,
    timestamp: '2026-11-21T03:00:00.000Z',
    server: { serverCount: servers.length, totalCapabilities: capabilities.length },
    connections: { connected: servers.filter(({ status }) => status === 'connected').length },
    serversDown: 0,
  };
}

/** What a person reads of HTML: text without elements, one blank between words. */
export function textOf(html: string): string {
  return html
    .replaceAll('<!-- -->', '')
    .replaceAll(/<[^>]*>/g, ' ')
    .replaceAll(/&quot;/g, '"')
    .replaceAll(/&#x27;/g, "'")
    .replaceAll(/&amp;/g, '&')
    .replaceAll(/\s+/g, ' ')
    .trim();
}
