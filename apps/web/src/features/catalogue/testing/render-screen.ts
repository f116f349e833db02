import type { CapabilityAnswer, ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { ApiError } from '@souk/contract/client.ts';
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
import type { MarketplaceSearch } from '../marketplace/marketplace-search.ts';
import type { ServerSearch } from '../queries.ts';

/** Loads the screens, with an address: the pages' configuration and typed client read it when they are loaded. */
export async function loadScreens() {
  vi.stubGlobal('window', { location: { origin: 'https://souk.example' } });
  vi.stubGlobal('document', { querySelector: () => ({ getAttribute: () => '{"payments":"sandbox"}' }) });
  const [home, footer, marketplace, service, queries, server] = await Promise.all([
    import('../home/home-screen.tsx'),
    import('../footer.tsx'),
    import('../marketplace/marketplace-screen.tsx'),
    import('../service/service-screen.tsx'),
    import('../queries.ts'),
    import('../../../loading/server-query.ts'),
  ]);
  vi.unstubAllGlobals();
  return { ...home, ...footer, ...marketplace, ...service, ...queries, ...server };
}
export type Screens = Awaited<ReturnType<typeof loadScreens>>;

export type Catalogue = { servers: ServerAnswer[]; capabilities: CapabilityAnswer[] };

/** Renders one screen as HTML, with the catalogue loaded, loading (undefined) or failed (an error). */
export async function renderScreen<Props extends object>(
  screens: Screens,
  screen: ComponentType<Props>,
  props: Props,
  catalogue?: Catalogue | Error,
): Promise<string> {
  const queries = new QueryClient({ defaultOptions: { queries: { retry: false, retryOnMount: false } } });
  const { search = {}, serviceId = '' }: { search?: MarketplaceSearch; serviceId?: string } = props;
  const { view: _view, ...asked } = search;
  const home = screens.firstServers;
  const page = screens.serversQuery({ ...asked, pageSize: screens.marketplacePageSize });
  const server = screens.serverQuery(serviceId);
  const fail = ({ queryKey }: { queryKey: readonly unknown[] }, error: Error) =>
    queries.prefetchQuery({ queryKey, queryFn: () => Promise.reject(error) });
  if (catalogue instanceof Error) {
    for (const query of [home, page, server]) await fail(query, catalogue);
  } else if (catalogue) {
    for (const { queryKey } of [home, page]) queries.setQueryData(queryKey, found(catalogue, asSearch(queryKey[2])));
    queries.setQueryData(screens.healthQuery.queryKey, healthOf(catalogue));
    const shown = catalogue.servers.find((one) => one.serverId === serviceId);
    const capabilities = catalogue.capabilities.filter((one) => one.serverId === serviceId);
    if (shown) queries.setQueryData(server.queryKey, { server: shown, capabilities, resourceTemplates: [] });
    else await fail(server, new ApiError({ message: `The broker has no ${serviceId}`, code: 'none', status: 404 }));
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
  const app = createElement(RouterProvider as ComponentType<{ router: unknown }>, { router });
  return renderToString(createElement(QueryClientProvider, { client: queries }, app as ReactNode));
}

/** Returns the search of a cache key, whose type is that of any key. */
const asSearch = (asked: unknown) => asked as ServerSearch;

/**
 * Answers as the broker, as far as screens depend on it: a text matches names; `featured` is the catalogue's own order.
 */
function found({ servers }: Catalogue, { q = '', page = 1, pageSize, sort }: ServerSearch) {
  const byName = servers.toSorted((one, other) => one.displayName.localeCompare(other.displayName));
  const ordered = sort === 'featured' ? servers : byName;
  const matching = ordered.filter(({ displayName }) => displayName.toLowerCase().includes(q.toLowerCase()));
  const total = matching.length;
  const pagination = { page, pageSize, total, pages: Math.ceil(total / pageSize) };
  return { servers: matching.slice((page - 1) * pageSize, page * pageSize), pagination, deployed: servers.length };
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

/** Returns the text of HTML as a user reads it: without elements, with single spaces. */
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
