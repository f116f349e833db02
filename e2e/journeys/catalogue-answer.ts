import { findServers } from '@souk/contract/catalogue/catalogue-search.ts';
import { getCapabilities, type CapabilityAnswer, type ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import type { Page, Route } from '@playwright/test';
import { routeNow } from './route-now.ts';

/** Calls with which screens read the catalogue: a page of servers, and one server. */
export const cataloguePath = '**/api/catalogue/servers**';

export type Catalogue = { servers: ServerAnswer[]; capabilities: CapabilityAnswer[]; lastUpdate: string };

/** Changes the broker's own catalogue that the pages of a test see, for what no fresh installation has. */
export async function changeCatalogue(page: Page, change: (catalogue: Catalogue) => Catalogue): Promise<void> {
  await routeNow(page, cataloguePath, (route) => answer(route, change));
}

async function answer(route: Route, change: (catalogue: Catalogue) => Catalogue): Promise<void> {
  const url = new URL(route.request().url());
  const [, , , , serverId, part] = url.pathname.split('/');
  // such as its related services
  if (part !== undefined) return route.continue();
  const whole = await route.fetch({ url: `${url.origin}/mcp/capabilities` });
  const catalogue = change(getCapabilities.answer.parse(await whole.json()));
  await (serverId === undefined ? fulfillPage(route, url, catalogue) : fulfillServer(route, serverId, catalogue));
}

async function fulfillServer(route: Route, serverId: string, { servers, capabilities }: Catalogue): Promise<void> {
  const server = servers.find((one) => one.serverId === serverId);
  const message = 'No MCP services found. The MCP broker may not be running.';
  if (!server) return route.fulfill({ status: 404, json: { success: false, code: 'server_not_found', message } });
  const own = capabilities.filter((one) => one.serverId === serverId);
  return route.fulfill({ json: { server, capabilities: own, resourceTemplates: [] } });
}

/** Answers a page of servers. The broker does not know the change, so the status filter is applied here. */
async function fulfillPage(route: Route, url: URL, { servers }: Catalogue): Promise<void> {
  const status = url.searchParams.get('status');
  url.searchParams.delete('status');
  const response = await route.fetch({ url: url.href });
  const found = findServers.answer.parse(await response.json());
  const changed = found.servers
    .map(({ serverId }) => servers.find((one) => one.serverId === serverId))
    .filter((server) => server !== undefined)
    .filter((server) => status === null || server.status === status);
  const pagination = { ...found.pagination, total: changed.length };
  await route.fulfill({ response, json: { servers: changed, pagination, deployed: servers.length } });
}

/** Returns the same catalogue with one of its servers changed. */
export function withServer(
  catalogue: Catalogue,
  serverId: string,
  change: (server: ServerAnswer) => ServerAnswer,
): Catalogue {
  return {
    ...catalogue,
    servers: catalogue.servers.map((server) => (server.serverId === serverId ? change(server) : server)),
  };
}

/**
 * Answers calls of `pattern` with the broker's error of that status and text. Returns a function that lets them through
 * again.
 */
export async function failCalls(
  page: Page,
  pattern: string,
  { status = 500, message }: { status?: number; message: string },
): Promise<() => Promise<void>> {
  const json = { success: false, code: 'unexpected', message };
  return routeNow(page, pattern, (route) => route.fulfill({ status, json }));
}

/** Holds calls of `pattern` back until the returned function is called. */
export async function holdCalls(page: Page, pattern: string): Promise<() => void> {
  let release: () => void = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await routeNow(page, pattern, async (route) => {
    await released;
    await route.continue();
  });
  return release;
}
