import { getCapabilities, getHealth, getInfo, getPrompts, getResources, getTools } from '@souk/contract/catalogue.ts';
import { approveToolChange, listToolChanges, rejectToolChange } from '@souk/contract/tool-changes.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import { sendJson } from '#platform/http/json-text.ts';
import type { Router } from '#platform/http/router.ts';
import type { Catalogue } from './create-catalogue.ts';
import { servedTools } from './served-tools.ts';
import type { UsedTogether } from './related-servers.ts';
import type { ServerIndex } from './server-index.ts';
import { isDown, lastUpdateMs, type CatalogueServer, type CatalogueSnapshot } from './snapshot.ts';
import { mountSearchRoutes } from './search-routes.ts';
import {
  presentCapabilities,
  presentPrompts,
  presentResources,
  presentServers,
  presentTools,
  type SoldTerms,
} from './present.ts';

/**
 * The public read calls under /mcp/, which answer from memory and wait for no upstream and no database; and the
 * administrator's decisions on tools that changed.
 */
export function mountCatalogueRoutes(
  router: Router,
  options: {
    catalogue: Catalogue;
    indexOf: (snapshot: CatalogueSnapshot) => ServerIndex;
    usedTogether: () => UsedTogether;
    config: Config;
    clock: Clock;
    version: string;
    protocolVersions: readonly string[];
    soldTerms(server: CatalogueServer): SoldTerms;
  },
): void {
  const { catalogue, config, clock } = options;
  const isoNow = () => new Date(clock.now()).toISOString();

  router.route(getInfo, () => ({
    name: config.brandName,
    version: options.version,
    link: `${config.publicUrl}/mcp`,
    protocolVersions: [...options.protocolVersions],
    transport: 'streamable-http' as const,
    supportEmail: config.supportEmail,
    serverCount: catalogue.snapshot().servers.length,
  }));

  router.route(getHealth, () => {
    const { servers } = catalogue.snapshot();
    const totalCapabilities = servers.reduce(
      (sum, server) => sum + servedTools(server).length + server.prompts.length + server.resources.length,
      0,
    );
    const asked = servers.some((server) => server.status !== 'disconnected' || server.statusDetail !== undefined);
    return {
      status: servers.length > 0 && !asked ? ('initializing' as const) : ('healthy' as const),
      timestamp: isoNow(),
      server: { serverCount: servers.length, totalCapabilities },
      connections: { connected: servers.filter((server) => server.status === 'connected').length },
      serversDown: servers.filter(isDown).length,
    };
  });

  router.route(getCapabilities, ({ reply }) => {
    const snapshot = catalogue.snapshot();
    let newest = 0;
    for (const server of snapshot.servers) newest = Math.max(newest, lastUpdateMs(server));
    return sendJson<typeof getCapabilities>(reply, {
      servers: presentServers(snapshot, options.soldTerms),
      capabilities: presentCapabilities(snapshot),
      lastUpdate: new Date(newest).toISOString(),
    });
  });

  mountSearchRoutes(router, options);

  router.route(listToolChanges, async ({ query }) => ({
    success: true as const,
    changes: await catalogue.toolChanges(query),
  }));
  router.route(approveToolChange, async ({ caller, params, body }) => ({
    success: true as const,
    change: await catalogue.decideToolChange(params.id, {
      verdict: 'approved',
      by: caller.userId,
      reason: body.reason,
    }),
  }));
  router.route(rejectToolChange, async ({ caller, params, body }) => ({
    success: true as const,
    change: await catalogue.decideToolChange(params.id, {
      verdict: 'rejected',
      by: caller.userId,
      reason: body.reason,
    }),
  }));

  const { snapshot } = catalogue;
  router.route(getTools, ({ reply }) => sendJson<typeof getTools>(reply, { tools: presentTools(snapshot()) }));
  router.route(getPrompts, ({ reply }) => sendJson<typeof getPrompts>(reply, { prompts: presentPrompts(snapshot()) }));
  router.route(getResources, ({ reply }) =>
    sendJson<typeof getResources>(reply, { resources: presentResources(snapshot()) }),
  );
}
