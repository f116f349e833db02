import { approvePriceRises, listPriceRises, maxPriceRises } from '@souk/contract/billing/price-rises.ts';
import { toolTitle, type Catalogue } from '#features/catalogue/index.ts';
import type { Router } from '#platform/http/router.ts';
import type { PriceRises } from './create-price-rises.ts';

type ToolOfServer = { serverId: string; tool: string };

export function mountPriceRiseRoutes(
  router: Router,
  {
    priceRises,
    catalogue,
    usedTools,
    isCharging,
  }: {
    priceRises: PriceRises;
    catalogue: Pick<Catalogue, 'snapshot'>;
    /** The tools that a user called lately, with any outcome; the usage feature passes it in. */
    usedTools(userId: string): Promise<ToolOfServer[]>;
    isCharging: boolean;
  },
): void {
  function namesOf({ serverId, tool }: ToolOfServer) {
    const server = catalogue.snapshot().byId.get(serverId);
    const item = server?.tools.find(({ name }) => name === tool);
    return { serverId, serverName: server?.manifest.name ?? serverId, tool, toolName: item ? toolTitle(item) : tool };
  }

  function comingOf(tools: readonly ToolOfServer[]) {
    const { byId } = catalogue.snapshot();
    const coming = tools.flatMap((one) => {
      const price = byId.get(one.serverId)?.prices.get(one.tool);
      if (!price?.coming || price.coming.credits <= price.credits) return [];
      return [{ one, credits: price.credits, coming: price.coming }];
    });
    return coming
      .toSorted((a, b) => a.coming.sinceMs - b.coming.sinceMs)
      .slice(0, maxPriceRises)
      .map(({ one, credits, coming: { credits: comingCredits, sinceMs } }) => ({
        ...namesOf(one),
        credits,
        comingCredits,
        from: new Date(sinceMs).toISOString(),
      }));
  }

  router.route(listPriceRises, async ({ caller, query: { server, tool } }) => {
    if (!isCharging) return { success: true as const, rises: [], coming: [] };
    const used = await usedTools(caller.userId);
    const isUsed = used.some((one) => one.serverId === server && one.tool === tool);
    const asked = server !== undefined && tool !== undefined && !isUsed ? [{ serverId: server, tool }] : [];
    const tools = [...asked, ...used];
    const rises = await priceRises.list(caller.userId, tools);
    return {
      success: true as const,
      rises: rises.slice(0, maxPriceRises).map(({ oldCredits, newCredits, raisedAtMs, ...one }) => ({
        ...namesOf(one),
        oldCredits,
        newCredits,
        raisedAt: new Date(raisedAtMs).toISOString(),
      })),
      coming: comingOf(tools),
    };
  });

  router.route(approvePriceRises, async ({ caller, body: { prices } }) => {
    priceRises.requireCurrent(prices);
    await priceRises.approve(caller.userId, prices, 'page');
    return { success: true as const };
  });
}
