import { getCapabilities, type CapabilityAnswer, type ServerAnswer } from '@souk/contract/catalogue.ts';
import type { Page, Route } from '@playwright/test';
import { routeNow } from './route-now.ts';

export const capabilitiesPath = '**/mcp/capabilities';

export type Catalogue = { servers: ServerAnswer[]; capabilities: CapabilityAnswer[]; lastUpdate: string };

/** Lets the pages of a test see the broker's own catalogue with something changed: what no fresh installation has. */
export async function changeCatalogue(page: Page, change: (catalogue: Catalogue) => Catalogue): Promise<void> {
  await routeNow(page, capabilitiesPath, async (route) => {
    const answer = await route.fetch();
    const catalogue = getCapabilities.answer.parse(await answer.json());
    await route.fulfill({ response: answer, json: change(catalogue) });
  });
}

/** The same catalogue with one of its servers changed. */
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

/** Answers calls of `pattern` with the broker's error of that status and text. Returns how to let them through again. */
export async function failCalls(
  page: Page,
  pattern: string,
  { status = 500, message }: { status?: number; message: string },
): Promise<() => Promise<void>> {
  const fail = (route: Route) => route.fulfill({ status, json: { success: false, code: 'unexpected', message } });
  await routeNow(page, pattern, fail);
  return () => page.unroute(pattern, fail);
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
